"""Dicts of lists and sets, changed at staged keys, and sets that grow by operators."""

import collections

import numpy as np

from autograph_rs.testing import samples

XS = np.array([1, 1, 2, 3, 3, 3, 1])


@samples((XS,), (XS[:1],), (np.array([7]),))
def lists_at_known_keys(xs):
    places = {1: [], 2: [0], 3: [5, 6]}
    for i, x in enumerate(xs):
        places[x].append(i)
    return places, sum(len(places[k]) * k for k in (1, 2, 3))


@samples((XS,), (XS[:1],))
def lists_at_text(xs):
    groups = {name: [] for name in ("odd", "even")}
    for x in xs:
        groups["odd" if x % 2 else "even"].append(x)
    return groups["odd"], groups["even"], len(groups)


@samples((XS,), (XS[:1],))
def default_lists(xs):
    places = collections.defaultdict(list)
    for i, x in enumerate(xs):
        places[x].append(i)
    return places, [(k, len(v), v[0]) for k, v in places.items()]


@samples((XS,), (XS[:1],))
def default_sets(xs):
    seen = collections.defaultdict(set)
    for i, x in enumerate(xs):
        seen[x].add(i % 3)
    return [len(members) for members in seen.values()]


@samples((XS,), (XS[:1],))
def grouped_by_a_tuple(xs):
    groups = {}
    for i, x in enumerate(xs):
        key = (x % 2, x > 2)
        if key in groups:
            groups[key].append(i)
        else:
            groups[key] = [i]
    return list(groups.values())


@samples((XS,), (XS[:1],))
def longest_group(xs):
    groups = {}
    for i, x in enumerate(xs):
        groups.setdefault(x, []).append(i)
    best = []
    for members in groups.values():
        if len(members) > len(best):
            best = members
    return best


@samples((XS,), (XS[:1],))
def one_list_in_two_dicts(xs):
    first, second = {}, {}
    for i, x in enumerate(xs):
        if x not in first:
            first[x] = []
            second[x] = first[x]
        first[x].append(i)
    return second


@samples((XS,), (XS[:1],))
def visited_from_the_first(xs):
    adjacent = collections.defaultdict(list)
    for i in range(len(xs) - 1):
        adjacent[xs[i]].append(xs[i + 1])
        adjacent[xs[i + 1]].append(xs[i])
    seen, stack, order = set(), [xs[0]], []
    while stack:
        u = stack.pop()
        if u in seen:
            continue
        seen.add(u)
        order.append(u)
        for v in adjacent[u]:
            stack.append(v)
    return order


@samples((XS, 2), (XS[:1], 5))
def sets_by_operators(xs, y):
    seen, chosen = set(), {1, 2}
    for x in xs:
        seen |= {x}
    seen.update([y, y + 1])
    chosen |= {y}
    chosen &= {1, y}
    chosen ^= {y + 1}
    return sorted(seen), sorted(chosen), len({1} - seen)


@samples((XS,), (XS[:1],))
def all_names_see_the_union(xs):
    plain = {1}
    same = plain
    plain |= set(xs)
    return sorted(same)
