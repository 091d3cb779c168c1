"""The command `autograph-rs`: what a function becomes, and files converted ahead of time.

Input is read, never imported or executed.
"""

from __future__ import annotations

import sys

try:
    import click
except ModuleNotFoundError as error:
    if error.name != "click":
        raise
    print("autograph-rs needs click: install autograph_rs[cli]", file=sys.stderr)
    raise SystemExit(3) from None

from .check import check
from .code import code
from .convert import convert
from .explain import explain


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="autograph_rs", prog_name="autograph-rs")
def main() -> None:
    """Convert Python control flow into functional operator calls.

    Input is read, never executed.

    \b
    Exit codes:
      0  done
      2  wrong usage
      3  failure: input that cannot be read or converted, output that cannot be written
    """


for command in (code, convert):
    main.add_command(command)
main.add_command(check)
main.add_command(explain)
