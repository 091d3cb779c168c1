"""Heaps, deques and stacks that staged loops fill and empty."""

import collections
import heapq

import numpy as np

from autograph_rs.testing import samples

XS = np.array([3.0, -1.0, 4.0, 1.0, -5.0, 9.0])
ROADS = np.array([[0, 2, 9, 0], [2, 0, 3, 8], [9, 3, 0, 1], [0, 8, 1, 0.0]])


@samples((ROADS, 0), (ROADS, 2))
def shortest_paths(roads, start):
    n = len(roads)
    distances = np.full(n, np.inf)
    distances[start] = 0.0
    queue = [(0.0, start)]
    while queue:
        distance, here = heapq.heappop(queue)
        if distance > distances[here]:
            continue
        for there in range(n):
            further = distance + roads[here, there]
            if roads[here, there] > 0 and further < distances[there]:
                distances[there] = further
                heapq.heappush(queue, (further, there))
    return distances


@samples((XS, 3), (-XS, 2))
def largest_of_a_stream(xs, k):
    heap = []
    for x in xs:
        heapq.heappush(heap, x)
        if len(heap) > k:
            heapq.heappop(heap)
    return sorted(heap)


@samples((XS,), (-XS,))
def heap_of_known_length(xs):
    heap = [5.0, 1.0, xs[0]]
    heapq.heapify(heap)
    smallest = heapq.heappushpop(heap, xs[1])
    replaced = heapq.heapreplace(heap, xs[2])
    return smallest, replaced, heapq.heappop(heap), heap


@samples((XS,), (-XS,))
def smallest_and_largest(xs):
    return heapq.nsmallest(2, xs), heapq.nlargest(2, xs, key=abs)


@samples((XS,), (-XS,))
def events(xs):
    queue, log, now = [], [], 0.0
    for i, x in enumerate(xs):
        heapq.heappush(queue, (abs(x), i))
    while queue and now < 4:
        now, event = heapq.heappop(queue)
        log.append(event)
        if event == 1:
            heapq.heappush(queue, (now + 0.5, 7))
    return log, now


@samples((XS,), (-XS,))
def moving_average(xs):
    window, means = collections.deque(maxlen=3), []
    for x in xs:
        window.append(x)
        means.append(sum(window) / len(window))
    return means


@samples((5,), (7,))
def breadth_first(n):
    queue, order = collections.deque([0]), []
    seen = np.zeros(8, bool)
    while queue:
        node = queue.popleft()
        order.append(node)
        for child in (2 * node + 1, 2 * node + 2):
            if child < n and not seen[child]:
                seen[child] = True
                queue.append(child)
    return order


@samples((XS,), (-XS,))
def moving_maximum(xs):
    window, found = collections.deque(), []
    for i in range(len(xs)):
        while window and xs[window[-1]] <= xs[i]:
            window.pop()
        window.append(i)
        if window[0] <= i - 3:
            window.popleft()
        found.append(xs[window[0]])
    return found


@samples((6,), (2,))
def josephus(n):
    circle, order = collections.deque(range(n)), []
    while len(circle) > 1:
        circle.rotate(-2)
        order.append(circle.popleft())
    return order, circle[0]


@samples((XS,), (-XS,))
def deque_as_a_result(xs):
    ends = collections.deque([0.0])
    for x in xs:
        if x > 0:
            ends.append(x)
        else:
            ends.appendleft(x)
    return ends, ends[0], 4.0 in ends


@samples((XS,), (-abs(XS),))
def popped_from_an_empty_deque(xs):
    waiting = collections.deque()
    for x in xs:
        if x > 0:
            waiting.append(x)
    return waiting.popleft()


@samples((XS,), (-XS,))
def monotonic_stack(xs):
    stack, dropped = [], 0
    for x in xs:
        while stack and stack[-1] > x:
            stack.pop()
            dropped += 1
        stack.append(x)
    return stack, dropped
