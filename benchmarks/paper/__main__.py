"""Run the workloads of the AutoGraph paper eagerly, converted, and with control flow written by hand.

    python benchmarks/paper [NAME ...] [--systems SYSTEM ...] [--gpu] [--rounds N] [--write]

Each workload is one plain Python function. Every system runs it eagerly, with arrays of its own, then as a
graph made by this package, and then a program of that system whose control flow is written by hand. Calls
alternate between the three. With --write, the table replaces its section of docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from types import ModuleType

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
if "--gpu" in sys.argv:
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # PyTorch needs memory too
    os.environ.setdefault("JAX_DEFAULT_MATMUL_PRECISION", "highest")  # what PyTorch has by default
else:
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # idle threads would spin while other systems compute
os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from backends import alternating, same
from figures import Sample, number, table
from page import ON_A_GPU, replace_section, versions
from paper.rows import SYSTEMS, WORKLOADS, Programs, load, programs

NOTES = """
Medians over {rounds} rounds. The published gains are those of Moldovan et al., "AutoGraph: Imperative-style
Coding with Graph-based Performance" (2019), over TensorFlow's eager execution. "loop in Python" calls a
compiled step from a Python loop, in the column "eager". "own RNN" is that of the framework, keras.layers.RNN
or torch.nn.RNN. PyTorch's programs are captured by make_fx and run without torch.compile.
"""
CPU_NOTES = """"graph" runs eagerly on NumPy, with the gradients of HIPS autograd, and by hand with
derivatives worked out on paper. NumPy and PyTorch compute on one thread.
"""
GPU_NOTES = """Each time includes the wait for the GPU. Matrix products have full single precision.
{device}; {versions}.
"""
GPU_SYSTEMS = "jax", "torch"


def measured(system: ModuleType, row: Programs, rounds: int) -> dict[str, Sample]:
    """Return the seconds of each program of a row, after checking that all results agree."""
    expected, *others = (system.leaves(run()) for run in row.values())
    if not all(same(expected, other) for other in others):
        sys.exit("the results differ")
    return dict(zip(row, alternating(list(row.values()), rounds, seconds=0.05), strict=True))


def cells(found: dict[str, Sample]) -> list[str]:
    """Format the milliseconds of each column, the gain over eager, and the ratio to the program by hand."""

    def ratio(above: str, below: str) -> str:
        if above not in found or below not in found:
            return ""
        return f"{Sample(a / b for a, b in zip(found[above], found[below], strict=True)).median:.2f}x"

    times = [number(1e3 * found[c].median) if c in found else "" for c in ("eager", "converted", "by hand")]
    return [*times, ratio("eager", "converted"), ratio("converted", "by hand")]


def gpu() -> str:
    """Return the name of the GPU that PyTorch runs on."""
    import torch  # noqa: PLC0415 - only where there is a GPU

    return torch.cuda.get_device_name()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"workloads: {', '.join(WORKLOADS)}")
    parser.add_argument(
        "--systems", nargs="+", choices=SYSTEMS, default=list(SYSTEMS), help="systems to measure"
    )
    parser.add_argument("--gpu", action="store_true", help=f"run {' and '.join(GPU_SYSTEMS)} on a GPU")
    parser.add_argument("--rounds", type=int, default=7, help="measurements of each figure (default: 7)")
    parser.add_argument("--write", action="store_true", help="replace the table in docs/benchmarks.md")
    options = parser.parse_args()
    if unknown := set(options.names).difference(WORKLOADS):
        parser.error(f"unknown workload: {', '.join(sorted(unknown))}")
    systems = [name for name in options.systems if not options.gpu or name in GPU_SYSTEMS]
    loaded = {name: load(name) for name in systems}
    rows = []
    for name in options.names or WORKLOADS:
        module, title, published = WORKLOADS[name]
        for system_name, system in loaded.items():
            if system is None:
                continue
            for beside, row in programs(system, name, module.SIZES).items():
                label = ", ".join(filter(None, (title, beside)))
                gain = {"": published, "own RNN": "", "loop in Python": "1.3x"}[beside]
                rows.append([label, system_name, *cells(measured(system, row, options.rounds)), gain])
                print(*rows[-1], sep="\t", file=sys.stderr, flush=True)
    heads = [
        "workload",
        "",
        "eager, ms",
        "converted, ms",
        "by hand, ms",
        "gain",
        "of by hand",
        "published gain",
    ]
    notes = GPU_NOTES.format(device=gpu(), versions=versions()) if options.gpu else CPU_NOTES
    text = table(heads, rows) + "\n" + NOTES.format(rounds=options.rounds) + notes.rstrip()
    print(text)
    if options.write:
        given = [a for a in sys.argv[1:] if a != "--write"]
        replace_section("paper", given, text, ON_A_GPU if options.gpu else "")


if __name__ == "__main__":
    main()
