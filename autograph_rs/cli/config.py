"""`[tool.autograph-rs]` in `pyproject.toml`: defaults of the command's options, by their long names."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

import click

TABLE = "autograph-rs"
ONCE = ("output", "in-place", "stdout", "diff", "check", "help")
"""Options that say what one run of the command does: no defaults."""


def defaults(group: click.Group, folder: Path) -> dict[str, dict[str, Any]]:
    """The default of each option that the nearest `pyproject.toml` of a folder or those above it sets.

    Raises:
        UsageError: the file cannot be read, or sets what no command has, or with a value of another kind.
    """
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
        raise click.UsageError(f"{file}: [tool.{TABLE}] is no table")
    made: dict[str, dict[str, Any]] = {name: {} for name in group.commands}
    for key, value in table.items():
        takers = [
            (name, option)
            for name, command in group.commands.items()
            for option in command.params
            if isinstance(option, click.Option) and f"--{key}" in option.opts and key not in ONCE
        ]
        if not takers:
            raise click.UsageError(f"{file}: [tool.{TABLE}] has no key {key!r}")
        for name, option in takers:
            if not _fits(value, option):
                raise click.UsageError(f"{file}: {key} = {value!r}: {_wanted(option)} is wanted")
            made[name][str(option.name)] = value
    return made


def _fits(value: Any, option: click.Option) -> bool:
    if option.multiple:
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    if option.is_flag:
        return isinstance(value, bool)
    if isinstance(option.type, click.types.IntParamType):
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, str)


def _wanted(option: click.Option) -> str:
    if option.multiple:
        return "a list of texts"
    if option.is_flag:
        return "true or false"
    return "a number" if isinstance(option.type, click.types.IntParamType) else "a text"
