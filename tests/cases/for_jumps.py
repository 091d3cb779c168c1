"""`break`, `continue` and `else` in `for` loops over arrays and staged ranges."""

import numpy as np

from autograph_rs.testing import samples

XS = np.array([2, 7, 1, 8, 2, 8])
GRID = np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]])


@samples((XS, 8), (XS, 100), (XS, 2))
def break_at_first(xs, wanted):
    seen = 0
    for x in xs:
        if x == wanted:
            break
        seen += 1
    return seen


@samples((XS,), (XS * 2,))
def continue_on_odd(xs):
    total = 0
    for x in xs:
        if x % 2:
            continue
        total += x
    return total


@samples((XS, 8), (XS, 100))
def for_else(xs, wanted):
    for x in xs:
        if x == wanted:
            result = 1
            break
    else:
        result = -1
    return result


@samples((XS, 3), (XS, 0))
def else_without_break(xs, factor):
    total = 0
    for x in xs:
        total += x * factor
    else:
        total += 1
    return total


@samples((10, 4), (10, 40), (0, 4))
def break_and_continue(n, limit):
    total = 0
    for i in range(n):
        if i % 3 == 0:
            continue
        if total > limit:
            break
        total += i
    return total


@samples((GRID, 5), (GRID, 50), (GRID, 1))
def break_two_deep(grid, wanted):
    found = False
    row = col = 0
    for r in range(3):
        for c in range(3):
            if grid[r, c] == wanted:
                found = True
                row, col = r, c
                break
        if found:
            break
    return found, row, col


@samples((GRID, 5), (GRID, 50))
def else_continue_break(grid, wanted):
    rows = 0
    for row in grid:
        for x in row:
            if x == wanted:
                break
        else:
            rows += 1
            continue
        break
    return rows


@samples((GRID,), (GRID - 5,))
def break_in_inner_only(grid):
    total = 0
    for row in grid:
        for x in row:
            if x > 4 or x < -2:
                break
            total += x
    return total


@samples((XS, 3), (XS, 30))
def target_after_break(xs, limit):
    total = 0
    for i, x in enumerate(xs):
        total += x
        if total > limit:
            break
    return i, x


@samples((6, 3), (3, 6), (0, 1))
def break_with_value(n, stop):
    reason = "end"
    for i in range(n):
        if i == stop:
            reason = "stop"
            break
    return reason


@samples((XS, 5), (XS, 0), (XS, 30))
def break_before_anything(xs, budget):
    bought = 0
    for price in xs:
        if price > budget:
            break
        budget -= price
        bought += 1
    return bought, budget


@samples(
    (XS,),
)
def continue_in_nested_if(xs):
    small = large = 0
    for x in xs:
        if x > 2:
            if x == 8:
                continue
            large += x
        else:
            if x == 2:
                small += 10
                continue
            small += x
        small -= 1
    return small, large


@samples((5,), (0,))
def break_at_once(n):
    count = 0
    for _ in range(n):
        break
    else:
        count = 100
    return count


@samples((30, 2), (30, 1), (5, 7))
def while_in_for(n, k):
    total = 0
    for i in range(n):
        j = i
        while j > 0:
            j -= k
            if j == 3:
                total += 1
                break
        if total > 6:
            break
    return total


@samples((XS, 7), (XS, 99))
def print_until_break(xs, stop):
    for x in xs:
        if x == stop:
            print("stop at", x)
            break
        print(x)
    else:
        print("never stopped")


@samples((4,), (1,), (0,))
def continue_in_both_loops(n):
    total = 0
    for i in range(n):
        if i == 1:
            continue
        for j in range(n):
            if j == i:
                continue
            total += i * 10 + j
    return total


@samples((XS, 8), (XS, 3))
def else_with_return(xs, wanted):
    for x in xs:
        if x == wanted:
            break
    else:
        return -1
    return x * 2
