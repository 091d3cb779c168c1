"""Format findings as text, JSON, GitHub workflow commands, or SARIF for code scanning."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ..ahead_of_time.reports import RULES, Finding
from .options import VERSION

Located = tuple[str, Finding]  # a finding and its file
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def text(findings: Sequence[Located]) -> str:
    return "".join(f"{path}:{f.line}:{f.column}: {f.code} {_message(f)}\n" for path, f in findings)


def as_json(findings: Sequence[Located]) -> str:
    return json.dumps([{"path": path, **asdict(finding)} for path, finding in findings], indent=2) + "\n"


def github(findings: Sequence[Located]) -> str:
    return "".join(_workflow_command(path, finding) for path, finding in findings)


def sarif(findings: Sequence[Located]) -> str:
    codes = [rule.code for rule in RULES]
    rules = [
        {
            "id": rule.code,
            "name": rule.name,
            "shortDescription": {"text": rule.name.replace("-", " ")},
            "fullDescription": {"text": rule.summary},
            "help": {"text": f"{rule.summary}. Remedy: {rule.remedy}."},
            "defaultConfiguration": {"level": "warning"},
        }
        for rule in RULES
    ]
    driver = {"name": "autograph-rs", "rules": rules} | ({"version": VERSION} if VERSION else {})
    results = [
        {
            "ruleId": finding.code,
            "ruleIndex": codes.index(finding.code),
            "level": "warning",
            "message": {"text": _message(finding)},
            "locations": [{"physicalLocation": _location(path, finding)}],
        }
        for path, finding in findings
    ]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


FORMATS: dict[str, Callable[[Sequence[Located]], str]] = {
    "text": text,
    "json": as_json,
    "github": github,
    "sarif": sarif,
}


def _message(finding: Finding) -> str:
    return f"{finding.reason}; {finding.remedy}"


def _workflow_command(path: str, finding: Finding) -> str:
    properties: dict[str, Any] = {"file": path, "line": finding.line, "endLine": finding.end_line}
    if finding.line == finding.end_line:  # GitHub supports columns only within a line
        properties |= {"col": finding.column, "endColumn": finding.end_column}
    properties["title"] = f"{finding.code} {finding.name}"
    values = {key: _escape_data(str(value)) for key, value in properties.items()}
    text = ",".join(f"{key}={v.replace(':', '%3A').replace(',', '%2C')}" for key, v in values.items())
    return f"::warning {text}::{_escape_data(_message(finding))}\n"


def _escape_data(value: str) -> str:
    return value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _location(path: str, finding: Finding) -> dict[str, Any]:
    return {
        "artifactLocation": {"uri": _uri(path)},
        "region": {
            "startLine": finding.line,
            "startColumn": finding.column,
            "endLine": finding.end_line,
            "endColumn": finding.end_column,
        },
    }


def _uri(path: str) -> str:
    """Return a path as a URI, relative if it is inside the working directory."""
    if path == "<stdin>":
        return quote(path)
    absolute, here = Path(os.path.abspath(path)), Path.cwd()
    if absolute.is_relative_to(here):
        return quote(os.fsencode(absolute.relative_to(here).as_posix()))
    return absolute.as_uri()
