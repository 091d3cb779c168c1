"""Recursion over arrays: trees of indices, slices, and arrays that it writes to."""

import numpy as np

from autograph_rs.testing import samples

XS = np.array([5.0, 2.0, 8.0, 1.0, 9.0, 3.0])
LEFT, RIGHT = np.array([1, -1, 3, -1, -1]), np.array([2, -1, 4, -1, -1])
VALUES = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
LINKS = np.array([[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]])


@samples((np.sort(XS), np.float64(8.0)), (np.sort(XS), np.float64(4.0)))
def binary_search(xs, value):
    def search(low, high):
        if low >= high:
            return -1
        middle = (low + high) // 2
        if xs[middle] == value:
            return middle
        if xs[middle] < value:
            return search(middle + 1, high)
        return search(low, middle)

    return search(0, len(xs))


@samples((LEFT, RIGHT, VALUES, np.int64(0)), (LEFT, RIGHT, VALUES, np.int64(-1)))
def tree_sum(left, right, values, root):
    def walk(i):
        if i < 0:
            return 0.0
        return values[i] + walk(left[i]) + walk(right[i])

    return walk(root)


@samples((LEFT, RIGHT, np.int64(0)), (LEFT, RIGHT, np.int64(2)))
def tree_depth(left, right, root):
    def depth(i):
        return 0 if i < 0 else 1 + max(depth(left[i]), depth(right[i]))

    return depth(root)


@samples((XS, np.int64(2)), (XS, np.int64(5)))
def quickselect(xs, k):
    pivot = xs[0]
    below, equal, above = xs[xs < pivot], xs[xs == pivot], xs[xs > pivot]
    if k < len(below):
        return quickselect(below, k)
    if k < len(below) + len(equal):
        return pivot
    return quickselect(above, k - len(below) - len(equal))


@samples((XS,), (XS[:1],))
def quicksort(xs):
    if len(xs) <= 1:
        return xs.copy()
    rest = xs[1:]
    return np.concatenate([quicksort(rest[rest < xs[0]]), xs[:1], quicksort(rest[rest >= xs[0]])])


@samples((XS, np.int64(6)), (XS, np.int64(0)))
def merge_sort(xs, n):
    def merge(a, b):
        merged = np.zeros(len(a) + len(b))
        i = j = 0
        for k in range(len(a) + len(b)):
            if j >= len(b) or (i < len(a) and a[i] <= b[j]):
                merged[k] = a[i]
                i += 1
            else:
                merged[k] = b[j]
                j += 1
        return merged

    def sort(ys):
        if len(ys) <= 1:
            return ys.copy()
        return merge(sort(ys[: len(ys) // 2]), sort(ys[len(ys) // 2 :]))

    return sort(xs[:n])


@samples((XS,), (XS[::-1],))
def sorted_in_place(xs):
    xs = xs + 0

    def sort(a, low, high):
        if low >= high:
            return
        i = low
        for j in range(low, high):
            if a[j] < a[high]:
                t = a[i]
                a[i] = a[j]
                a[j] = t
                i += 1
        t = a[i]
        a[i] = a[high]
        a[high] = t
        sort(a, low, i - 1)
        sort(a, i + 1, high)

    sort(xs, 0, len(xs) - 1)
    return xs


@samples((LINKS, np.int64(0)), (LINKS, np.int64(3)))
def reachable(links, start):
    seen = np.zeros_like(links[0])

    def visit(i):
        seen[i] = 1
        for j in range(len(links)):
            if links[i, j] and not seen[j]:
                visit(j)

    visit(start)
    return seen


@samples((LINKS,))
def components(links):
    label = np.zeros_like(links[0]) - 1

    def visit(i, number):
        label[i] = number
        for j in range(len(links)):
            if links[i, j] and label[j] < 0:
                visit(j, number)

    count = 0
    for i in range(len(links)):
        if label[i] < 0:
            visit(i, count)
            count += 1
    return label, count


@samples((np.array([1, 2, 3, 4]), np.int64(6)), (np.array([3, 5, 7, 9]), np.int64(2)))
def subset_sum(xs, total):
    def reaches(i, left):
        if left == 0:
            return True
        if i >= len(xs) or left < 0:
            return False
        return reaches(i + 1, left - xs[i]) or reaches(i + 1, left)

    return reaches(np.int64(0), total)


@samples((np.int64(4),), (np.int64(3),))
def permutations(n):
    items = np.arange(n)

    def best(k):
        if k == n:
            return np.sum(items * items[::-1])
        largest = 0
        for i in range(k, n):
            t = items[k]
            items[k] = items[i]
            items[i] = t
            found = best(k + 1)
            if found > largest:
                largest = found
            t = items[k]
            items[k] = items[i]
            items[i] = t
        return largest

    return best(np.int64(0))


@samples((np.eye(2) * 2, np.int64(5)), (np.eye(2), np.int64(0)))
def matrix_power(m, n):
    if n == 0:
        return np.eye(2)
    if n % 2 == 1:
        return m @ matrix_power(m, n - 1)
    half = matrix_power(m, n // 2)
    return half @ half


@samples((np.int64(6),), (np.int64(1),))
def memoised(n):
    known = np.zeros(10) + 0 * n

    def fibonacci(k):
        if k < 2:
            return k * 1.0
        if known[k] != 0:
            return known[k]
        value = fibonacci(k - 1) + fibonacci(k - 2)
        known[k] = value
        return value

    return fibonacci(n), known
