"""Read default values of command-line options from `[tool.autograph-rs]` in `pyproject.toml`."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

import click

TABLE = "autograph-rs"
NOT_CONFIGURABLE = ("output", "in-place", "stdout", "diff", "check", "help")
"""Options that `pyproject.toml` cannot set, because they apply only to a single run."""


def defaults(group: click.Group, folder: Path) -> dict[str, dict[str, Any]]:
    """Return each command's option defaults from the nearest `pyproject.toml` in a folder or its parents."""
    files = (at / "pyproject.toml" for at in (folder, *folder.parents))
    file = next((file for file in files if os.path.isfile(file)), None)
    if file is None:
        return {}
    try:
        with file.open("rb") as opened:
            tools = tomllib.load(opened).get("tool")
    except OSError as error:
        raise click.UsageError(f"{file}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise click.UsageError(f"{file}: {error}") from None
    table = tools.get(TABLE, {}) if isinstance(tools, dict) else {}
    if not isinstance(table, dict):
        raise click.UsageError(f"{file}: [tool.{TABLE}] must be a table")
    by_command: dict[str, dict[str, Any]] = {name: {} for name in group.commands}
    for key, value in table.items():
        options = [
            (name, option)
            for name, command in group.commands.items()
            for option in command.params
            if isinstance(option, click.Option) and f"--{key}" in option.opts and key not in NOT_CONFIGURABLE
        ]
        if not options:
            raise click.UsageError(f"{file}: unknown key {key!r} in [tool.{TABLE}]")
        for name, option in options:
            expected, is_valid = _expected_value(value, option)
            if not is_valid:
                raise click.UsageError(f"{file}: {key!r} must be {expected}, got {value!r}")
            by_command[name][str(option.name)] = value
    return by_command


def _expected_value(value: Any, option: click.Option) -> tuple[str, bool]:
    """Return a description of the values that an option accepts, and whether it accepts `value`."""
    if option.multiple:
        is_list = isinstance(value, list) and all(isinstance(item, str) for item in value)
        return "a list of strings", is_list
    if option.is_flag:
        return "true or false", isinstance(value, bool)
    if isinstance(option.type, click.types.IntParamType):
        return "an integer", isinstance(value, int) and not isinstance(value, bool)
    return "a string", isinstance(value, str)
