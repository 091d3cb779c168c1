"""Objects, dicts and lists as items of lists whose length depends on staged values."""

import heapq
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from autograph_rs.testing import samples

XS = np.array([1.0, -2.0, 3.0, 0.5])


class Interval:
    def __init__(self, low, high):
        self.low, self.high = low, high

    @property
    def middle(self):
        return (self.low + self.high) / 2

    def halves(self):
        return Interval(self.low, self.middle), Interval(self.middle, self.high)


@dataclass
class Particle:
    x: float
    mass: float = 1.0


class Peak(NamedTuple):
    place: int
    height: float


class Job:
    def __init__(self, time, name):
        self.time, self.name = time, name

    def __lt__(self, other):
        return self.time < other.time


@samples((np.array([0.0, 4.0]), np.float64(0.5)))
def roots_by_bisection(box, width):
    work, found = [Interval(box[0], box[1])], []
    while work:
        part = work.pop()
        if part.low * part.low > 2 or part.high * part.high < 2:
            continue
        if part.high - part.low < width:
            found.append(part.middle)
        else:
            work.extend(part.halves())
    return found


@samples((XS,))
def heaviest(xs):
    particles = []
    for x in xs:
        if x > 0:
            particles.append(Particle(x, x * x))
    best = particles[0]
    for particle in particles:
        if particle.mass > best.mass:
            best = particle
    return best.x, len(particles)


@samples((XS,), (np.array([1.0]),))
def peaks(xs):
    found = []
    for i in range(len(xs)):
        if xs[i] > 0:
            found.append(Peak(i, xs[i]))
    found.sort(key=lambda peak: -peak.height)
    return [peak.place for peak in found]


@samples((np.array([2, 3, 1]),))
def shortest_jobs_first(times):
    queue = []
    for i, time in enumerate(times):
        heapq.heappush(queue, Job(time, i))
    order, now = [], 0
    while queue:
        job = heapq.heappop(queue)
        now += job.time
        order.append(job.name)
        if now < 4:
            heapq.heappush(queue, Job(job.time + 2, job.name + 10))
    return order, now


@samples((XS,))
def tokens(xs):
    found = []
    for x in xs:
        if x > 0:
            found.append({"is_up": True, "size": x})
        else:
            found.append({"is_up": False, "size": -x})
    return sum(token["size"] for token in found if token["is_up"]), len(found)


@samples((XS,))
def rows_of_pairs(xs):
    rows = []
    for x in xs:
        if x > 0:
            rows.append([x, 2 * x])
    total = 0.0
    for row in rows:
        for value in row:
            total += value
    return np.array(rows), total, sum(rows, [])


@samples((XS,), (-XS,))
def first_that_is_large(xs):
    found = None
    for x in xs:
        particle = Particle(x)
        if found is None and x > 2:
            found = particle
    return -1.0 if found is None else found.x


@samples((XS,), (-np.abs(XS),))
def best_of_those_kept(xs):
    best = None
    for x in xs:
        if x < 0:
            continue
        job = Job(x, 1)
        if best is None or job < best:
            best = job
    return 0.0 if best is None else best.time


@samples((XS, 1), (XS, -1))
def particle_at(xs, place):
    particles = [Particle(x, 2 * x) for x in xs]
    return particles[place].x + particles[place].mass


@samples((XS,))
def one_of_two(xs):
    low, high = Particle(xs[0]), Particle(xs[1])
    chosen = low if xs[2] > 0 else high
    return chosen.x, low.x, high.x


@samples((XS,))
def moving_pair(xs):
    before, after = Particle(xs[0]), Particle(xs[2])
    steps = 0
    while after.x > 0.5:
        before, after = after, Particle(before.x / 2)
        steps += 1
    return before.x, after.x, steps


@samples((XS,))
def stored_in_an_object(xs):
    class Memory:
        best = Particle(0.0)

    memory = Memory()
    memory.best = Particle(0.0)
    for x in xs:
        particle = Particle(x)
        if x > memory.best.x:
            memory.best = particle
    return memory.best.x


@samples((np.array([2, 0, -1]), np.int64(1)), (np.array([2, 0, -1]), np.int64(2)))
def path_to_the_root(parents, node):
    above = [None if parent < 0 else int(parent) for parent in parents]
    path, node = [], int(node)
    while node is not None:
        path.append(node)
        node = above[node]
    return np.array(path)


@samples((XS,))
def texts_of_items(xs):
    kept = []
    for x in xs:
        if x > 0:
            kept.append(x)
    return "-".join(f"{x:.1f}" for x in kept)


@samples((XS,))
def generators_that_fill(xs):
    kept = [0.0]
    kept.extend(2 * x for x in xs if x > 0)
    return kept, set(int(x) % 2 for x in xs)  # noqa: C401


@samples((XS,))
def items_replaced(xs):
    stack, taken = [Job(xs[0], 0)], 0
    while stack:
        job = stack[-1]
        if job.name > 3:
            stack.pop()
            taken += 1
            continue
        stack[-1] = Job(job.time, job.name + 2)
        if job.time > 0.3:
            stack.append(Job(job.time / 2, job.name + 1))
    return taken
