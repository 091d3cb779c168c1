"""Import hooks that rewrite a module before Python compiles it: pytest's, typeguard's, beartype's."""

from __future__ import annotations

import ast
import sys
import types
import warnings
from importlib.machinery import SourceFileLoader
from typing import Any


def as_imported(text: str, function: types.FunctionType) -> types.CodeType | None:
    """What the hook that imported a function's module makes of a text; none where there was no hook."""
    filename, names = function.__code__.co_filename, function.__globals__
    loader: Any = getattr(names.get("__spec__"), "loader", None)
    try:
        with warnings.catch_warnings(action="ignore"):
            if "@pytest_ar" in names:
                tree = ast.parse(text, filename)
                sys.modules["_pytest.assertion.rewrite"].rewrite_asserts(tree, text.encode())
                return compile(tree, filename, "exec", dont_inherit=True)
            if isinstance(loader, SourceFileLoader) and type(loader) is not SourceFileLoader:
                made: types.CodeType = loader.source_to_code(loader.get_data(filename), filename)
                return made
    except Exception:  # noqa: BLE001 - the code of others, asked for what they have no word for
        return None
    return None
