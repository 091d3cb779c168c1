"""The table of docs/conformance.md: what becomes of each sample on each system.

    python tests/backends/table.py SYSTEM...

Runs the samples on the systems and writes their columns.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

SYSTEMS = {
    "graph": "",
    **{name: name for name in ("jax", "tensorflow", "torch", "pytensor")},
}
"""What converted functions are compiled with; the framework that each needs."""
PEERS = {"jax_alone": "jax", "tf_autograph": "tensorflow", "torch_alone": "torch", "malt": "malt"}
"""The same for functions as they are written, compiled with what the framework has."""

SUITE = Path(__file__).with_name("conformance.py")
FILE = Path(__file__).resolve().parents[2] / "docs" / "conformance.md"
COLUMNS = (*SYSTEMS, *PEERS)
HEAD = "| sample | " + " | ".join(f"`{name}`" for name in COLUMNS) + " |"
Table = dict[str, dict[str, str]]


def read() -> Table:
    """Return the outcome that the file lists for each sample on each system."""
    table: Table = {}
    rows = FILE.read_text(encoding="utf-8").partition(HEAD)[2].splitlines()[2:]
    for row in rows:
        sample, *kinds = [cell.strip() for cell in row.strip("|").split("|")]
        table[sample] = {name: kind for name, kind in zip(COLUMNS, kinds, strict=True) if kind}
    return table


def column(system: str, every: int = 1) -> dict[str, str]:
    """Return the outcomes of the samples, run in a separate process: a system's settings persist."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "column.json")
        command = [sys.executable, str(SUITE), system, "--every", str(every), "--column", str(file)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=1200)
        return json.loads(file.read_text(encoding="utf-8"))


def counted(table: Table) -> str:
    """A line for each system: how many samples end in which way."""
    lines = [
        "| system | right | staged | unrolled | error | differs | wrong |",
        "|---|---|---|---|---|---|---|",
    ]
    for name in COLUMNS:
        counts = Counter(kinds[name] for kinds in table.values() if name in kinds)
        total = sum(counts.values())
        if total:
            right = f"{(counts['staged'] + counts['unrolled']) / total:.1%}"
            cells = [str(counts[kind]) for kind in ("staged", "unrolled", "error", "differs", "wrong")]
            lines.append("| " + " | ".join([f"`{name}`", right, *cells]) + " |")
    return "\n".join(lines)


def write(table: Table) -> None:
    text = FILE.read_text(encoding="utf-8")
    before, start, _ = text.partition("<!-- counts -->")
    rows = [
        "| " + " | ".join([sample, *(kinds.get(name, "") for name in COLUMNS)]) + " |"
        for sample, kinds in sorted(table.items())
    ]
    rule = "|---" * (len(COLUMNS) + 1) + "|"
    FILE.write_text(
        "\n".join([before + start, "", counted(table), "", "## Samples", "", HEAD, rule, *rows, ""]),
        encoding="utf-8",
    )


def merged(table: Table, columns: Mapping[str, Mapping[str, str]]) -> Table:
    samples = {*next(iter(columns.values()))}
    return {
        sample: {**table.get(sample, {}), **{name: found[sample] for name, found in columns.items()}}
        for sample in samples
    }


if __name__ == "__main__":
    write(merged(read(), {name: column(name) for name in sys.argv[1:]}))
