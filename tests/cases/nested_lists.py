"""Lists in lists, chosen and changed at staged indices."""

import collections
import heapq

import numpy as np

from autograph_rs.testing import samples

EDGES = np.array([[0, 1], [0, 2], [1, 3], [2, 3], [3, 4]])
WEIGHTED = np.array([[0, 1, 4], [0, 2, 1], [2, 1, 2], [1, 3, 5]])
XS = np.array([1, 1, 2, 3, 3, 3, 1])
FRACTIONS = np.array([0.42, 0.32, 0.91, 0.05, 0.99])
INTERVALS = np.array([[1, 3], [2, 6], [8, 10], [9, 12], [15, 18]])


@samples((np.int64(6), EDGES), (np.int64(5), EDGES[:0]))
def adjacency(n, edges):
    adjacent = [[] for _ in range(n)]
    for u, v in edges:
        adjacent[u].append(v)
        adjacent[v].append(u)
    return adjacent, [len(row) for row in adjacent]


@samples((EDGES, 0), (EDGES, 5))
def breadth_first(edges, start):
    n = 6
    adjacent = [[] for _ in range(n)]
    for u, v in edges:
        adjacent[u].append(v)
        adjacent[v].append(u)
    distance = [-1] * n
    distance[start] = 0
    queue = collections.deque([start])
    while queue:
        u = queue.popleft()
        for v in adjacent[u]:
            if distance[v] < 0:
                distance[v] = distance[u] + 1
                queue.append(v)
    return distance


@samples((np.int64(5), EDGES), (np.int64(5), EDGES[:, ::-1]), (np.int64(2), np.array([[0, 1], [1, 0]])))
def topological_order(n, edges):
    adjacent = [[] for _ in range(n)]
    incoming = [0] * n
    for u, v in edges:
        adjacent[u].append(v)
        incoming[v] += 1
    queue = [i for i in range(n) if incoming[i] == 0]
    order = []
    while queue:
        u = queue.pop(0)
        order.append(u)
        for v in adjacent[u]:
            incoming[v] -= 1
            if incoming[v] == 0:
                queue.append(v)
    if len(order) != n:
        raise ValueError("cycle")
    return order


@samples((np.int64(4), WEIGHTED, 0), (np.int64(4), WEIGHTED, 2))
def shortest_paths(n, edges, start):
    adjacent = [[] for _ in range(n)]
    for u, v, w in edges:
        adjacent[u].append((v, w))
    distance = [10**9] * n
    distance[start] = 0
    heap = [(0, start)]
    while heap:
        d, u = heapq.heappop(heap)
        if d > distance[u]:
            continue
        for v, w in adjacent[u]:
            if d + w < distance[v]:
                distance[v] = d + w
                heapq.heappush(heap, (distance[v], v))
    return distance


@samples((FRACTIONS,), (FRACTIONS[:1],))
def bucket_sort(xs):
    buckets = [[] for _ in range(10)]
    for x in xs:
        buckets[int(x * 10)].append(x)
    result = []
    for bucket in buckets:
        bucket.sort()
        result.extend(bucket)
    return result


@samples((np.array([170, 45, 75, 90, 802, 24, 2, 66]),), (np.array([7, 3]),))
def radix_sort(xs):
    values, place = list(xs), 1
    while max(xs) // place > 0:
        buckets = [[] for _ in range(10)]
        for v in values:
            buckets[(v // place) % 10].append(v)
        values = []
        for bucket in buckets:
            values.extend(bucket)
        place *= 10
    return values


@samples((XS, 3), (XS, 4))
def hash_table(xs, key):
    table = [[] for _ in range(3)]
    for i, x in enumerate(xs):
        bucket = table[x % 3]
        for j in range(len(bucket)):
            if bucket[j][0] == x:
                bucket[j] = (x, i)
                break
        else:
            bucket.append((x, i))
    for known, value in table[key % 3]:
        if known == key:
            return value
    return -1


@samples((INTERVALS,), (INTERVALS[:1],))
def merged_intervals(intervals):
    out = []
    for low, high in intervals:
        if out and low <= out[-1][1]:
            out[-1][1] = max(out[-1][1], high)
        else:
            out.append([low, high])
    return out


@samples((XS,), (XS[:1],))
def run_lengths(xs):
    out = []
    for x in xs:
        if out and out[-1][0] == x:
            out[-1][1] += 1
        else:
            out.append([x, 1])
    return out


@samples((1, 0), (-1, -2), (0, 3), (-4, 0), (2, 1))
def changed_by_index(i, j):
    rows = [[1], [2, 3], [4, 5, 6]]
    rows[i] += [7]
    rows[i][j] = 9
    rows[i][j] += 1
    rows[i].insert(0, i)
    last = rows[i].pop()
    return rows, last, len(rows[i]), sum(rows[i])


@samples((1,), (2,), (3,))
def pop_that_may_fail(i):
    rows = [[1], [2, 3], []]
    try:
        x = rows[i].pop()
    except IndexError as error:
        print(error)
        x = -1
    return x, rows


@samples((1,), (-2,), (2,))
def second_names(i):
    rows = [[] for _ in range(3)]
    row, first = rows[i], rows[1]
    row.append(5)
    rows[i].append(6)
    first.append(7)
    return rows, row, first


@samples((0,), (2,))
def one_row_in_all_places(i):
    rows = [[]] * 3
    rows[i].append(6)
    rows[0] = rows[i]
    rows[0].append(7)
    return rows


@samples((XS,), (XS[:1],))
def rows_of_a_loop(xs):
    rows = [[x] for x in xs]
    for row in rows:
        row.append(7)
    for i, (row, x) in enumerate(zip(rows, xs)):
        row[0] += x
        row.append(i)
    rows.sort(key=len)
    return rows


@samples((XS,), (XS[:1],))
def row_in_progress(xs):
    out, current = [], []
    out.append(current)
    for x in xs:
        if x == 3:
            current = []
            out.append(current)
        current.append(x)
    return out


@samples((XS, 1), (XS, 3))
def one_of_two_lists(xs, limit):
    small, large = [], []
    for x in xs:
        target = large if x > limit else small
        target.append(x)
    return small, large


@samples((XS, np.array([1, 3, 3, 2])), (XS[:1], XS[:1]))
def longest_common_subsequence(a, b):
    n, m = len(a), len(b)
    table = [[0] * (m + 1) for _ in range(n + 1)]
    for i in range(n):
        for j in range(m):
            if a[i] == b[j]:
                table[i + 1][j + 1] = table[i][j] + 1
            else:
                table[i + 1][j + 1] = max(table[i][j + 1], table[i + 1][j])
    return table[n][m]


@samples((XS,), (XS[:1],))
def cells_of_a_grid(xs):
    cells = [[[] for _ in range(2)] for _ in range(2)]
    for i, x in enumerate(xs):
        cells[x % 2][i % 2].append(i)
    return cells


@samples((XS,), (XS[:1],))
def sets_and_deques(xs):
    members = [set() for _ in range(4)]
    recent = [collections.deque() for _ in range(4)]
    for i, x in enumerate(xs):
        members[x].add(i % 2)
        recent[x].append(i)
        if len(recent[x]) > 2:
            recent[x].popleft()
    return [len(m) for m in members], [list(r) for r in recent]


@samples((XS,), (XS[:1],))
def row_returned_early(xs):
    rows = [[] for _ in range(4)]
    for i, x in enumerate(xs):
        rows[x].append(i)
        if len(rows[x]) > 2:
            return rows[x], rows
    return rows[0], rows
