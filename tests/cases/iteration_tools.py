"""Functions of `itertools`, and iterators, over values of staged length."""

import itertools

import numpy as np

from autograph_rs.testing import samples

XS = np.array([3.0, -1.0, 4.0, 1.0, 5.0])


@samples((XS,), (-XS,), (XS[:1],))
def pairs_of_points(xs):
    kept = [x for x in xs if x > 0]
    total, count = 0.0, 0
    for a, b in itertools.combinations(kept, 2):
        if a == b:
            continue
        total += abs(a - b)
        count += 1
    return total, count, list(itertools.combinations(kept, 3))


@samples((4,), (1,), (0,))
def first_inversion(n):
    for i, j in itertools.combinations(range(n), 2):
        if (i * 7) % 5 > (j * 7) % 5:
            return i, j
    return -1, -1


@samples((3,), (0,))
def grid(n):
    found = [(i, j, k) for i, j, k in itertools.product(range(n), [1, 2], range(n)) if i != k]
    return found, list(itertools.permutations(range(n), 2))


@samples((XS,), (-XS,))
def steps(xs):
    kept = [x for x in xs if x > 0]
    rises = sum(b - a for a, b in itertools.pairwise(kept) if b > a)
    return rises, list(itertools.accumulate(kept)), list(itertools.accumulate(kept, max, initial=2.0))


@samples((XS, 2), (-XS, 0), (XS, 7))
def slices_of_iterators(xs, n):
    kept = [x for x in xs if x > 0]
    return list(itertools.islice(kept, n)), [x for x in itertools.islice(kept, n, None, 2)]


@samples((XS,), (-XS,))
def chosen_by_a_test(xs):
    kept = [x for x in xs if x != 1]
    small = list(itertools.takewhile(lambda x: x < 4, kept))
    large = list(itertools.dropwhile(lambda x: x < 4, kept))
    return small, large, list(itertools.compress(kept, [x > 0 for x in kept]))


@samples((20,), (0,))
def counted_up(n):
    for k in itertools.count(1, 2):
        if k * k > n:
            break
    return k


@samples((XS,), (XS[::-1],))
def largest_after_the_first(xs):
    numbers = iter([x for x in xs if x > 0])
    best = next(numbers)
    for x in numbers:
        best = max(best, x)
    return best, next(numbers, -1.0)


@samples((np.array([3, 1, 2]),), (np.array([5, 5]),))
def any_member(xs):
    members = {int(x) for x in xs}
    return next(iter(members - {1})), next(iter(members - {5, 3, 2, 1}), 0), next(x for x in xs if x > 2)
