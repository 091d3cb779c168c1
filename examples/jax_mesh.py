"""One function, from one device to a mesh: k-means with loops and branches under `jit` with shardings.

    python examples/jax_mesh.py

The CPU acts as eight virtual devices; on a machine with accelerators, the same code uses those.
"""

from __future__ import annotations

import os

os.environ["XLA_FLAGS"] = (
    f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=8".strip()
)

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec

import autograph_rs as ag


def k_means(points, centres, tolerance):
    """Move the centres to the means of their points until they stop moving."""
    moved = tolerance + 1.0
    rounds = 0
    while moved > tolerance:
        distances = ((points[:, None] - centres) ** 2).sum(axis=-1)
        nearest = distances.argmin(axis=1)
        new = centres.copy()
        for k in range(len(centres)):
            own = nearest == k
            if own.any():
                new[k] = (points * own[:, None]).sum(axis=0) / own.sum()
        moved = abs(new - centres).max()
        centres = new
        rounds += 1
        if rounds >= 100:
            return centres, rounds
    return centres, rounds


def main() -> None:
    rng = np.random.default_rng(0)
    middles = np.array([[0.0, 0.0], [5.0, 5.0], [0.0, 6.0]])
    points = (middles[rng.integers(0, 3, 4096)] + rng.normal(size=(4096, 2))).astype(np.float32)
    start = points[:3]

    step = jax.jit(ag.convert(k_means))
    alone, rounds = step(jnp.asarray(points), jnp.asarray(start), 1e-4)

    mesh = jax.make_mesh((8,), ("rows",))
    rows = NamedSharding(mesh, PartitionSpec("rows"))
    spread = jax.device_put(points, rows)
    together, again = step(spread, jnp.asarray(start), 1e-4)

    same = np.allclose(alone, together, atol=1e-3) and int(rounds) == int(again)
    print(np.round(np.asarray(together), 3))
    devices = len(spread.sharding.device_set)
    relation = "equal" if same else "DIFFER FROM"
    print(f"{len(points)} points: the centres on {devices} devices {relation} those on one device")


if __name__ == "__main__":
    main()
