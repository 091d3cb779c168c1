"""Lists in attributes, dicts and lists that change their length under staged conditions."""

import numpy as np

from autograph_rs.testing import samples

XS = np.array([3.0, 1.0, 2.0])
TWO = np.float64(2.0)


class Stack:
    def __init__(self):
        self.items = []

    def push(self, x):
        self.items.append(x)

    def pop(self):
        return self.items.pop()


@samples((XS,), (-XS,))
def pushed_in_a_loop(xs):
    stack = Stack()
    for x in xs:
        if x > 1:
            stack.push(x)
    return len(stack.items), sum(stack.items)


@samples((TWO,), (-TWO,))
def pushed_in_a_branch(x):
    stack = Stack()
    stack.push(1.0)
    if x > 0:
        stack.push(x)
    return stack.pop()


@samples((TWO,), (-TWO,))
def appended_to_an_item(x):
    found = {"a": []}
    if x > 0:
        found["a"].append(x)
    return len(found["a"])


@samples((TWO,), (-TWO,))
def appended_to_a_row(x):
    rows = [[], []]
    if x > 0:
        rows[0].append(x)
    else:
        rows[1].append(x)
    return len(rows[0])


class Simulation:
    def __init__(self, x):
        self.x, self.steps, self.log = x, 0, []

    def step(self):
        self.x = self.x * 0.5
        self.steps += 1
        if self.x < 1.0:
            self.log.append(self.x)


@samples((np.float64(9.0),), (TWO,))
def log_of_a_simulation(x):
    simulation = Simulation(x)
    while simulation.steps < 10 and simulation.x > 0.1:
        simulation.step()
    return simulation.steps, len(simulation.log), sum(simulation.log)


@samples((np.float64(9.0),), (TWO,))
def work_in_a_dict(x):
    work = {"todo": [x], "done": []}
    while work["todo"]:
        value = work["todo"].pop()
        work["done"].append(value)
        if value > 1:
            work["todo"].append(value / 2)
    return len(work["done"]), work["done"][-1]


@samples((XS,), (-XS,))
def adjacency(xs):
    neighbours = [[] for _ in range(3)]
    for i in range(3):
        for j in range(3):
            if xs[i] > xs[j]:
                neighbours[i].append(j)
    return [len(row) for row in neighbours]


class Tree:
    def __init__(self):
        self.leaves = Stack()


@samples((np.float64(2.5),), (np.float64(0.5),))
def list_two_attributes_deep(x):
    tree = Tree()
    for i in range(4):
        if x > i:
            tree.leaves.push(x * i)
    return len(tree.leaves.items), tree.leaves.items[-1]


@samples((XS,), (-XS,))
def buckets(xs):
    found = {"low": [], "high": []}
    for x in xs:
        if x > 1:
            found["high"].append(x)
        else:
            found["low"].append(x)
    return sum(found["high"]), sum(found["low"])
