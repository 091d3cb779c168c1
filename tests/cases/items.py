"""Items of dicts and lists as state: `d["k"]`, `d["a"]["b"]`, `items[0]`."""

import numpy as np

from autograph_rs.testing import samples


@samples((5,), (-5,))
def dict_item(x):
    state = {"total": 0, "calls": 1}
    if x > 0:
        state["total"] = x
    else:
        state["calls"] += 1
    return state


@samples((4,), (0,))
def dict_item_in_loop(n):
    state = {"a": 0, "b": 1}
    while n > 0:
        state["a"], state["b"] = state["b"], state["a"] + state["b"]
        n -= 1
    return state["a"]


@samples((5,), (-5,))
def nested_dict(x):
    config = {"inner": {"value": 1}, "count": 0}
    if x > 0:
        config["inner"]["value"] += x
        config["count"] += 1
    return config


@samples((5,), (-5,))
def new_key_in_both(x):
    result = {}
    if x > 0:
        result["sign"] = 1
    else:
        result["sign"] = -1
    return result


@samples((5,), (-5,), staged=())
def new_key_in_one(x):
    """Plain only: a staged dict cannot have a key at run time alone."""
    result = {}
    if x > 0:
        result["sign"] = 1
    return result["sign"]


@samples((5,), (-5,))
def list_item(x):
    items = [1, 2, 3]
    if x > 0:
        items[0] = x
    else:
        items[-1] += x
    return items


@samples((3,), (0,))
def list_item_in_loop(n):
    pair = [1, 1]
    for _ in range(n):
        pair[0], pair[1] = pair[1], pair[0] + pair[1]
    return pair


@samples((5,), (-5,))
def key_in_variable(x):
    key = "b"
    state = {"a": 1, "b": 2}
    if x > 0:
        state[key] = state[key] * x
    return state


@samples((2,), (-2,))
def dict_of_lists(x):
    groups = {"small": [0, 0], "large": [0]}
    if x > 0:
        groups["large"][0] = x
    else:
        groups["small"][1] = x
    return groups


@samples((np.array([1, -2, 3]),), (np.array([-1, -2, -3]),))
def two_counters(xs):
    counts = {"up": 0, "down": 0}
    for x in xs:
        if x > 0:
            counts["up"] += 1
        else:
            counts["down"] += 1
    return counts["up"] - counts["down"], counts


@samples(({"a": 1}, 5), ({"a": 1}, -5), staged=())
def of_argument(state, x):
    """Plain only: a staged value kept in a dict of the caller has leaked."""
    if x > 0:
        state["a"] = x
        state["b"] = 1
    else:
        del state["a"]
    return len(state)


@samples(([3, 1, 3, 2, 1],), ([],))
def histogram(items):
    """A dict whose keys are data: it stays Python's own."""
    counts = {}
    for item in items:
        counts[item] = counts.get(item, 0) + 1
    return counts


@samples((2,), (-2,))
def updated(x):
    state = {"x": x}
    if x > 0:
        state.update(x=x * 2)
    return state


@samples((3,), (-3,))
def read_only(x):
    weights = {"pos": 2, "neg": 3}
    if x > 0:
        y = x * weights["pos"]
    else:
        y = x * weights["neg"]
    return y
