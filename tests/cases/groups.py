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
