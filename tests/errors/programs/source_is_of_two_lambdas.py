import autograph_rs as ag


def without_columns(pair):
    for f in pair:  # as with `python -X no_debug_ranges`
        f.__code__ = f.__code__.replace(co_linetable=b"")
    return pair


def wrong():
    add, _ = without_columns((lambda x: x + 1, lambda x: x - 1))  # <-- here
    return ag.to_graph(add)(3)


def repaired():
    add, _ = without_columns(
        (
            lambda x: x + 1,
            lambda x: x - 1,
        )
    )
    return ag.to_graph(add)(3)


EXPECTED = 4
