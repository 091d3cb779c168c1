"""K-means on Fisher's iris measurements: written in plain Python, staged into a graph, compiled.

python examples/quickstart.py
"""

from __future__ import annotations

import importlib.util
import textwrap
import timeit
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

import autograph_rs as ag

IRIS = Path(__file__).with_name("iris.csv")


def nearest(points, centers):
    """Return the index of the closest center for each point."""
    distances = ((points[:, np.newaxis] - centers) ** 2).sum(axis=2)
    return distances.argmin(axis=1)


def kmeans(points, centers, tolerance=1e-6, max_steps=100):
    """Return the cluster centers, the cluster of each point, and the number of steps."""
    steps = 0
    labels = nearest(points, centers)
    before = np.full_like(labels, -1)
    while np.any(labels != before):
        moved = centers.copy()
        for k in range(len(centers)):
            members = points[labels == k]
            # An empty cluster stays where it is.
            if len(members) > 0:
                moved[k] = members.mean(axis=0)
        steps += 1
        shift = np.abs(moved - centers).max()
        if shift < tolerance or steps == max_steps:
            return moved, labels, steps
        centers, before, labels = moved, labels, nearest(points, moved)
    return centers, labels, steps


def agreeing(points, labels):
    """Return the number of points whose nearest neighbor has the same label."""
    count = 0
    for i in range(len(points)):
        nearest, label = np.inf, -1
        for j in range(len(points)):
            distance = 0.0
            for k in range(points.shape[1]):
                distance += (points[i, k] - points[j, k]) ** 2
            if i != j and distance < nearest:
                nearest, label = distance, labels[j]
        if label == labels[i]:
            count += 1
    return count


def title(text: str) -> None:
    print(f"\n{text}\n{'-' * len(text)}\n")


def beginning(text: str, lines: int) -> str:
    """Return the first lines of a text, indented, and the number of remaining lines."""
    shown = text.strip().splitlines()
    more = [f"... and {len(shown) - lines} more lines"] if len(shown) > lines else []
    return textwrap.indent("\n".join(shown[:lines] + more), "    ")


def show_times(ways: dict[str, Callable[[], object]], number: int) -> None:
    """Print the milliseconds of one call in each way: the best of five repetitions."""
    times = {
        way: 1000 * min(timeit.repeat(call, number=number, repeat=5)) / number for way, call in ways.items()
    }
    for way, time in times.items():
        print(f"{way:<30}{time:8.3f} ms   {time / times['plain Python']:6.3f} times plain Python")


def main() -> None:
    points = np.loadtxt(IRIS, delimiter=",", skiprows=1, usecols=range(4))
    species = np.loadtxt(IRIS, delimiter=",", skiprows=1, usecols=4, dtype=str)
    start = np.random.default_rng(0).choice(points, 3, replace=False)
    kinds = sorted(set(species))
    print(f"{len(points)} flowers of {len(kinds)} species, {points.shape[1]} measurements of each")

    title("kmeans, converted")
    print(beginning(ag.to_code(kmeans), 40))

    staged = ag.function(kmeans)
    graph = str(staged.get_concrete_function(points, start).graph)
    title(f"kmeans, staged: a graph of {len(graph.splitlines())} lines")
    print(beginning(graph, 30))

    title("Results")
    expected = kmeans(points, start)
    centers, labels, steps = staged(points, start)
    for plain, value in zip(expected, (centers, labels, steps), strict=True):
        np.testing.assert_allclose(value, plain, rtol=1e-12)
    print(f"Settled after {int(steps)} steps; the staged function and plain Python agree.\n")
    print("cluster   size  " + "".join(f"{kind:>12}" for kind in kinds) + "   center")
    for k, center in enumerate(centers):
        members = Counter(species[labels == k])
        counts = "".join(f"{members[kind]:12}" for kind in kinds)
        print(f"{k:7}{members.total():7}  {counts}   {np.array2string(center, precision=2)}")

    title("Time of one call of kmeans")
    ways = {
        "plain Python": kmeans,
        "ag.convert, on plain values": ag.convert(kmeans),
        "ag.to_graph, on plain values": ag.to_graph(kmeans),
        "ag.function, staged": staged,
    }
    show_times({way: lambda f=f: f(points, start) for way, f in ways.items()}, number=50)

    title("Time of one call of agreeing, which loops over numbers")
    specs = [ag.TensorSpec((None, 4)), ag.TensorSpec((None,), labels.dtype)]
    stage = ag.function(input_signature=specs, engine="numpy")
    ways = {"plain Python": agreeing, "ag.function, on NumPy": stage(agreeing)}
    if importlib.util.find_spec("llvmlite"):
        stage = ag.function(input_signature=specs, engine="native")
        ways["ag.function, machine code"] = stage(agreeing)
    counts = {way: int(f(points, labels)) for way, f in ways.items()}
    assert len({*counts.values()}) == 1, counts
    show_times({way: lambda f=f: f(points, labels) for way, f in ways.items()}, number=2)
    print(f"\n{counts['plain Python']} of the flowers are in the cluster of their nearest neighbor.")
    if len(ways) == 2:
        print("pip install 'autograph_rs[native]' adds machine code to this table.")


if __name__ == "__main__":
    main()
