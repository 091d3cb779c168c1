"""`for` over Python data: unrolled while tracing, also where a staged value decides to leave."""

import numpy as np

from autograph_rs.testing import samples


@samples((3,), (-3,))
def over_list(x):
    total = x
    for factor in [1, 2, 3]:
        if total > 0:
            total = total * factor
        else:
            total = total - factor
    return total


@samples((2,), (5,), (50,))
def break_on_staged(x):
    for step in [1, 10, 100]:
        if x > 20:
            break
        x += step
    return x, step


@samples((2,), (25,))
def continue_on_staged(x):
    skipped = 0
    for step in (1, 10, 100):
        if x + step > 30:
            skipped += 1
            continue
        x += step
    return x, skipped


@samples((3,), (4,))
def else_on_staged(x):
    for wanted in (1, 2, 3):
        if x == wanted:
            place = wanted
            break
    else:
        place = 0
    return place


@samples(
    (2, [1, 2, 3]), (9, [1, 2, 3]), staged=[(np.int64(2), [1, 2, 3]), (np.int64(9), [1, 2, 3])]
)
def over_argument(x, items):
    total = 0
    for item in items:
        if item < x:
            total += item
    return total


@samples((3,), (0,))
def over_pairs(x):
    total = 0
    for name, value in [("a", 1), ("b", 2), ("c", 3)]:
        if x > value:
            total += value
        if name == "b":
            total *= 10
    return total


@samples((3,), (0,))
def over_dict_items(x):
    prices = {"apple": 1, "pear": 2}
    total = 0
    for name, price in prices.items():
        total += price * x * len(name)
    return total


@samples((5.0,), (-5.0,), (3.0,))
def over_functions(x):
    for step in [abs, np.sqrt, lambda v: v + 1]:
        if x != 3:
            x = step(x)
    return x


@samples((1, 2, 3), (3, 2, 1))
def over_staged_values(a, b, c):
    best = a
    for x in (a, b, c):
        if x > best:
            best = x
    return best


@samples((2,), (5,))
def subscript_target(x):
    box = [0, 0]
    total = 0
    for box[1] in [1, 2, 3]:
        total += box[1] * x
    return total, box


@samples((2,), (5,))
def starred_target(x):
    total = 0
    for first, *rest in [(1, 2, 3), (4, 5), (6,)]:
        total += first * x + len(rest)
    return total


@samples(("hello world",), ("",))
def over_string(text):
    vowels = 0
    for letter in text:
        if letter in "aeiou":
            vowels += 1
    return vowels


@samples(([1, 2, 3],), ([],))
def target_unbound(items):
    for item in items:
        item = item + 1
    return item


@samples((4,), (40,))
def list_of_arrays(x):
    total = np.zeros(2)
    for row in [np.array([1.0, 2.0]), np.array([3.0, 4.0])]:
        if x > 10:
            total = total + row * 10
        else:
            total = total + row
    return total


@samples((3,), (50,), (7,))
def break_two_deep(x):
    tries = 0
    for a in [1, 2, 3]:
        for b in [1, 10]:
            tries += 1
            if a * b > x:
                break
        if a == 2 and x > 5:
            break
    return tries, a, b


@samples((3,), (12,))
def over_growing_list(x):
    """A list that is appended to while it is iterated, as Python allows."""
    queue = [1]
    total = 0
    for item in queue:
        if item < 8:
            queue.append(item * 2)
        if total < x:
            total += item
    return total, queue


@samples((3,), (12,))
def over_iterator(x):
    items = iter([1, 2, 3, 4])
    first = next(items)
    total = first * x
    for item in items:
        if total > 10:
            total -= item
        else:
            total += item
    return total, list(items)


@samples((5,), (15,))
def over_set_and_keys(x):
    total = 0
    for key in sorted({"b": 2, "a": 1}):
        total += len(key) * x
    for number in {7}:
        if x > 10:
            total += number
    return total
