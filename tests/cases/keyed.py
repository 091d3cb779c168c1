"""Dicts and sets of plain keys, read, searched and written at staged keys."""

import collections

import numpy as np

from autograph_rs.testing import samples

PRICES = {1: 10.0, 2: 20.0, 5: 50.0}
MOVES = {0: (0, 1), 1: (1, 0), 2: (0, -1)}


@samples((2,), (5,))
def lookup(k):
    return PRICES[k] * 2


@samples((3,), (1,))
def lookup_of_a_missing_key(k):
    return PRICES[k]


@samples((2,), (3,))
def get_with_default(k):
    return PRICES.get(k, -1.0)


@samples((2,), (3,))
def membership(k):
    if k in PRICES:
        return PRICES[k]
    return 0.0


@samples((2,), (3,))
def not_among_the_keys(k):
    return 1 if k not in PRICES.keys() else 2


@samples((4,), (5,))
def in_a_set(k):
    vowels = {1, 5, 9}
    return 1 if k in vowels else 0


@samples((20,), (30,))
def in_the_values(price):
    return price in PRICES.values()


@samples((0, 3), (2, 0))
def tuples_as_values(k, y):
    dx, dy = MOVES[k]
    return dx + y, dy + y


@samples((0, 1), (1, 1), (1, 0))
def tuples_as_keys(i, j):
    table = {(0, 0): 1, (0, 1): 2, (1, 0): 3, (1, 1): 4}
    return table[i, j]


@samples((np.array([1, 2, 2, 3, 2]),), (np.array([3]),))
def counts(xs):
    seen = {1: 0, 2: 0, 3: 0}
    for x in xs:
        seen[x] += 1
    return seen


@samples((np.array([1, 4]),))
def counts_of_a_missing_key(xs):
    seen = {1: 0, 2: 0}
    for x in xs:
        seen[x] += 1
    return seen


@samples((np.array([1, 2, 2, 1, 2]),), (np.array([2, 2, 2]),))
def known_counter(xs):
    seen = collections.Counter({1: 0, 2: 0})
    for x in xs:
        seen[x] += 1
    return seen[1], seen[2], seen[7]


@samples((1, 5.0), (2, -5.0))
def written_in_a_branch(k, x):
    best = {1: 0.0, 2: 1.0}
    if x > 0:
        best[k] = x
    return best[1] + 2 * best[2]


@samples((np.array([0, 1, 1, 2]),), (np.array([2, 0]),))
def state_machine(bits):
    following = {0: 1, 1: 2, 2: 0}
    state = 0
    for bit in bits:
        if bit in (1, 2):
            state = following[state]
    return state


@samples((1,), (3,))
def dict_of_dicts(k):
    planets = {1: {"mass": 0.3, "moons": 0}, 3: {"mass": 1.0, "moons": 1}}
    planet = planets[k]
    return planet["mass"] * planet["moons"]


@samples((1, 0), (0, 2), (-1, 1))
def written_into_a_list_of_lists(row, column):
    board = [[0] * 3 for _ in range(2)]
    board[row][column] = 1
    return board


@samples((1, 2.0), (0, -2.0))
def updated_in_a_list_of_dicts(i, step):
    particles = [{"x": 0.0, "moves": 0}, {"x": 1.0, "moves": 0}]
    particles[i]["x"] += step
    particles[i]["moves"] += 1
    return particles


@samples((1, 2.0), (-2, 3.0), (2, 1.0))
def replaced_in_a_list_of_tuples(i, x):
    pairs = [(1, 2.0), (3, 4.0)]
    pairs[i] = (5, x)
    return pairs


@samples((np.array([1, 2, 3, 4]),), (np.array([3, 3]),))
def grouped(xs):
    groups = [{"count": 0, "total": 0.0} for _ in range(3)]
    for x in xs:
        group = groups[x % 3]
        group["count"] += 1
        group["total"] += x * 0.5
    return groups


@samples((3,), (1,))
def keys_of_text(n):
    steps = {"up": 1, "down": -1}
    move = "up" if n > 2 else "down"
    return n + steps[move]
