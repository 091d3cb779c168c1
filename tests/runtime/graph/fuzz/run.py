"""Compare random programs plain, as graphs and as optimised graphs.

python tests/runtime/graph/fuzz/run.py --count 50000 --seed 1
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[3]))

from graph_fuzzing import fuzz
from loop_fuzzing import fuzz_loops


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0, help="the first; each program has its own")
    parser.add_argument("--differences", type=int, default=5, help="stop after so many")
    parser.add_argument("--engine", choices=("numpy", "native"), default="numpy")
    options = parser.parse_args()
    start = time.perf_counter()
    if options.engine == "native":  # half of the programs are loops over numbers and arrays
        verdicts, found = fuzz(options.seed, options.count // 2, options.differences, "native")
        loops, different = fuzz_loops(options.seed, options.count - options.count // 2, options.differences)
        verdicts.update({f"loops: {verdict}": count for verdict, count in loops.items()})
        found += different
    else:
        verdicts, found = fuzz(options.seed, options.count, options.differences)
    for error in found:
        print(error, end="\n\n")
    print(f"{sum(verdicts.values())} programs in {time.perf_counter() - start:.0f} s")
    for verdict, count in verdicts.most_common(15):
        print(f"{count:7}  {verdict}")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
