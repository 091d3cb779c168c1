"""Objects that change while they are items of lists, deques, heaps and dicts, and that other names refer to."""

import copy
import heapq
from collections import deque
from dataclasses import dataclass, replace

import numpy as np

from autograph_rs.testing import samples

XS = np.array([3.0, -1.0, 4.0, 1.0, -5.0, 9.0])
NO_XS = np.array([])
KEYS = np.array([3, 1, 4, 1, 5, 9, 2, 6])


@dataclass
class Particle:
    x: float
    v: float = 0.0

    def kick(self, dv):
        self.v += dv
        return self.v

    @property
    def energy(self):
        return self.v * self.v / 2

    @energy.setter
    def energy(self, energy):
        self.v = (2 * energy) ** 0.5


@dataclass
class Job:
    size: int
    start: float | None = None
    log: str = "new"

    def __post_init__(self):
        self.left = self.size


class Tree:
    def __init__(self, key):
        self.key, self.count = key, 1
        self.left = self.right = None


class Shape:
    def __init__(self, size):
        self.size = size
        self.turns = 0

    def turn(self):
        self.turns += 1
        return self


class Square(Shape):
    def turn(self):
        self.size *= 2
        return super().turn()


class Account:
    def __init__(self):
        self.entries, self.balance = [], 0

    def add(self, amount):
        self.entries.append(amount)
        self.balance += amount


@samples((XS,), (NO_XS,))
def moved_particles(xs):
    particles = [Particle(x) for x in xs if x > 0]
    for step in range(3):
        for p in particles:
            p.v += p.x * 0.5 - step
        for p in particles:
            p.x += p.v
    return [(p.x, p.v, p.energy) for p in particles]


@samples((XS,), (NO_XS,))
def named_outside(xs):
    first = Particle(1.0, 2.0)
    particles = [first]
    for x in xs:
        last = Particle(x)
        particles.append(last)
        last.v = x * 2
    first.v = 3.0
    before = particles[0].v
    particles[0].v = 8.0
    return before, first.v, [p.v for p in particles]


@samples((XS,))
def in_two_lists(xs):
    every, positive = [], []
    for x in xs:
        p = Particle(x)
        every.append(p)
        every.append(p)
        if x > 0:
            positive.append(p)
    for p in positive:
        p.kick(1.0)
    for p in every:
        p.v *= 2
    return [p.v for p in every], [p.v for p in positive]


@samples((KEYS, 4))
def jobs_of_a_queue(sizes, slice_length):
    queue, done, now = deque(), [], 0.0
    for size in sizes:
        queue.append(Job(size))
    while queue:
        job = queue.popleft()
        if job.start is None:
            job.start = now
        if job.left > slice_length:
            job.left -= slice_length
            now += slice_length
            queue.append(job)
        else:
            now += job.left
            job.left, job.log = 0, "done"
            done.append(job)
    return [(job.size, job.start, job.log) for job in done], now


@samples((XS,), (NO_XS,))
def records_in_a_heap(xs):
    events, done = [], []
    for i, x in enumerate(xs):
        heapq.heappush(events, (x, i, Particle(x)))
    while events:
        time, i, p = heapq.heappop(events)
        p.kick(time)
        if p.v < 5 and time < 5:
            heapq.heappush(events, (time + 3, i, p))
        else:
            done.append(p)
    return [(p.x, p.v) for p in done]


@samples((XS,))
def sorted_and_extreme(xs):
    particles = [Particle(x, -x) for x in xs if x > -3]
    particles.sort(key=lambda p: p.v)
    particles[0].v = 100.0
    by_place = sorted(particles, key=lambda p: p.x)
    for i, p in enumerate(by_place):
        p.x = float(i)
    max(particles, key=lambda p: p.v).energy = 8.0
    return [(p.x, p.v) for p in particles]


@samples((XS,), (np.array([-1.0]),))
def best_or_none(xs):
    particles, best = [Particle(x) for x in xs], None
    for p in particles:
        if p.x > 2 and (best is None or p.x > best.x):
            best = p
    if best is not None:
        best.v = 7.0
    count = 0
    for p in particles:
        if p is best:
            count += 1
        elif best is not None and p is not particles[0]:
            p.v = -1.0
    return [p.v for p in particles], count


@samples((XS,))
def changed_in_calls(xs):
    def bump(particles, dv):
        for p in particles:
            p.kick(dv)

    particles = [Particle(x) for x in xs]
    bump(particles, 2.0)
    bump(particles[1:], 1.0)
    return [p.v for p in particles]


@samples((XS,))
def changed_in_a_try(xs):
    particles, failed = [Particle(x) for x in xs if x > 0], []
    for i in range(len(xs)):
        try:
            particles[i].v += 1
            if particles[i].x > 3:
                raise ValueError("fast")
            particles[i].x = 0.0
        except IndexError:
            failed.append(i)
        except ValueError:
            particles[i].v = 50.0
    return [(p.x, p.v) for p in particles], failed


@samples((KEYS,))
def accounts_by_key(keys):
    accounts = {}
    for key in keys:
        kind = int(key) % 3
        if kind not in accounts:
            accounts[kind] = Account()
        accounts[kind].add(key)
    return {kind: (a.balance, len(a.entries)) for kind, a in sorted(accounts.items())}


@samples((XS,), (NO_XS,))
def binary_tree(xs):
    trees, root = [], None
    for x in xs:
        if root is None:
            root = Tree(x)
            trees.append(root)
            continue
        node = root
        while True:
            if x == node.key:
                node.count += 1
                break
            if x < node.key:
                if node.left is None:
                    node.left = Tree(x)
                    trees.append(node.left)
                    break
                node = node.left
            else:
                if node.right is None:
                    node.right = Tree(x)
                    trees.append(node.right)
                    break
                node = node.right
    return [(t.key, t.count, t.left is None, t.right is None) for t in trees]


@samples((XS,))
def inherited_methods(xs):
    shapes = [Square(x) for x in xs if x > 0]
    for shape in shapes:
        shape.turn().turn()
    shapes[0].turns = 10
    return [(s.size, s.turns, type(s) is Square, isinstance(s, Shape)) for s in shapes]


@samples((XS,))
def copies_of_objects(xs):
    particles = [Particle(x) for x in xs if x > 0]
    copies = [copy.copy(p) for p in particles]
    faster = [replace(p, v=9.0) for p in particles]
    for p in particles:
        p.v = 1.0
    copies[0].v = 2.0
    return [p.v for p in particles], [p.v for p in copies], [p.v for p in faster], particles[1] == copies[1]


@samples((XS,))
def items_replaced_and_swapped(xs):
    particles = [Particle(x) for x in xs if x > 0]
    a, b = particles[0], particles[1]
    particles[0], particles[1] = b, a
    a.v, b.v = 1.0, 2.0
    particles[2] = particles[0]
    particles[2].v += 5
    return [p.v for p in particles], a.v, b.v, particles[0] is particles[2]


@samples((XS,))
def slots_filled(xs):
    slots, used = [None] * 3, 0
    for x in xs:
        if x > 0 and used < 3:
            slots[used] = Particle(x)
            used += 1
    for slot in slots:
        if slot is not None:
            slot.kick(1.0)
    return [slot.v for slot in slots if slot is not None]
