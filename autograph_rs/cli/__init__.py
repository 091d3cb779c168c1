"""The command `autograph-rs`: convert files ahead of time, show conversions, and export models.

Only `export` imports and executes its input.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

try:
    import click

    from .batch import messages
    from .check import check
    from .code import code
    from .config import defaults
    from .convert import convert
    from .explain import explain
    from .export import export
    from .files import FileError, file_errors
    from .options import FAILURE, INTERRUPTED, VERSION
except ModuleNotFoundError as error:
    if error.name not in ("click", "rich"):
        raise
    print(f"autograph-rs needs {error.name}: pip install {error.name}", file=sys.stderr)
    raise SystemExit(3) from None
except KeyboardInterrupt:
    raise SystemExit(130) from None


class Program(click.Group):
    """The command group. It turns errors into the documented exit codes."""

    def main(self, *args: Any, **kwargs: Any) -> None:  # type: ignore[override]
        if sys.stdout is None:
            messages.print("standard output is closed")
            sys.exit(FAILURE)
        try:
            exit_code = super().main(*args, **kwargs | {"standalone_mode": False})
        except click.ClickException as error:
            error.show()
            exit_code = error.exit_code if isinstance(error, click.UsageError) else FAILURE
        except FileError as error:
            messages.print(str(error))
            exit_code = FAILURE
        except OSError as error:  # file errors are reported where they occur
            _discard_output()
            messages.print(f"standard output: {error.strerror or error}")
            exit_code = FAILURE
        except (KeyboardInterrupt, click.Abort):
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # the program is exiting
            messages.print("interrupted: each file is either unchanged or converted")
            exit_code = INTERRUPTED
        except Exception as error:  # noqa: BLE001 - an unexpected error must not exit with the code for findings
            messages.print(f"a bug in autograph_rs: {error!r}")
            exit_code = FAILURE
        sys.exit(exit_code)

    def invoke(self, context: click.Context) -> Any:
        try:
            return super().invoke(context)
        except BrokenPipeError:  # the reader of the output closed it
            _discard_output()
            return context.exit(FAILURE)


def _discard_output() -> None:
    """Discard buffered output, because writing it at exit would fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="autograph-rs")
@click.pass_context
def main(context: click.Context) -> None:
    """Convert Python control flow into functional operator calls.

    Input is never executed, except by export. [tool.autograph-rs] in pyproject.toml sets defaults for
    include, exclude, jobs, quiet, verbose, source-map, staged-only and format.

    \b
    Exit codes:
        0  done
        1  findings: a file would change, or code cannot be staged
        2  wrong usage
        3  failure: an input cannot be read or converted, or an output cannot be written
      130  interrupted

    \b
    Shell completion:
      eval "$(_AUTOGRAPH_RS_COMPLETE=bash_source autograph-rs)"   # or zsh_source, fish_source
    """
    with file_errors("the working directory"):
        folder = Path.cwd()
    context.default_map = defaults(main, folder)


for command in (check, code, convert, explain, export):
    main.add_command(command)
