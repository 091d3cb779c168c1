"""Lists that are filled, stored in another list, and begun again."""

import numpy as np

from autograph_rs.testing import samples

XS = np.array([1.0, 3.0, 2.0, 5.0, 0.0])
YS = np.array([3.0, 3.0, 1.0, 0.0, 0.0, 4.0])


@samples((XS,), (YS,))
def at_each_drop(xs):
    groups, group = [], []
    for x in xs:
        if group and x < group[-1]:
            groups.append(group)
            group = []
        group.append(x)
    groups.append(group)
    return groups


@samples((XS, 1.5), (YS, 9.0))
def stored_or_continued(xs, limit):
    groups, group = [], []
    for x in xs:
        if x < limit:
            groups.append(group)
            group = [x]
        else:
            group.append(x)
    return groups, group


@samples((XS,), (YS,))
def longest_run(xs):
    longest, run = [], []
    for x in xs:
        if x > 1:
            run.append(x)
        else:
            if len(run) > len(longest):
                longest = run
            run = []
    return run if len(run) > len(longest) else longest


@samples((XS,), (YS,))
def words_between_zeros(xs):
    words, word = [], []
    for x in xs:
        if x == 0:
            if word:
                words.append(tuple(word))
                word = []
        else:
            word.append(x)
    return words, word


@samples((XS, 2.0), (YS, 3.5))
def arrays_begun_again(xs, limit):
    kept, total = [], np.zeros(2)
    for x in xs:
        if x > limit:
            kept.append(total)
            total = np.zeros(2)
        total[0] += x
        total[1] += 1
    return kept, total


@samples((XS,), (YS,))
def changed_before_it_is_stored(xs):
    groups, group = [], [xs[0]]
    for x in xs:
        if x > 2:
            group.append(1.0)
            groups.append(group)
            group = []
        else:
            group.append(2.0)
    return groups, group


@samples((XS,), (YS,))
def stored_copies(xs):
    groups, group = [], []
    for x in xs:
        if x < 2:
            groups.append(group[:])
            group.clear()
        group.append(x)
    return groups, group


@samples((XS, 1.5), (-XS, 0.0))
def two_lists_by_a_condition(xs, limit):
    high, low = [], []
    for x in xs:
        (high if x > limit else low).append(x)
    return high, low


@samples((XS, 1.5), (-XS, 0.0))
def two_histograms_by_a_condition(xs, limit):
    high, low = np.zeros(2), np.zeros(3)
    for i, x in enumerate(xs):
        (high if x > limit else low)[i % 2] += x
    return high, low


@samples((2.0,), (-1.0,))
def order_of_a_choice_and_its_arguments(x):
    log = []

    def noted(text, value):
        log.append(text)
        return value

    first, second = [], []
    (noted("first", first) if noted("test", x > 0) else noted("second", second)).append(noted("item", x))
    return first, second, len(log)


@samples((XS, 1.5), (-XS, 9.0))
def longest_and_shortest_by_len(xs, limit):
    runs, run = [], [0.0]
    for x in xs:
        if x > limit:
            run.append(x)
        else:
            runs.append(run)
            run = [x]
    runs.append(run)
    return max(runs, key=len), min(runs, key=len), [len(r) for r in sorted(runs, key=len)]


@samples((XS[:3],), (-XS[:3],))
def names_of_items(xs):
    return dict(zip("abc", xs, strict=False)), [name * 2 for name, x in zip("xyz", xs, strict=False) if x > 1]
