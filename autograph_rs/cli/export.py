"""`autograph-rs export`: write a function as an ONNX model, which runs without Python."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import re
import sys
import traceback
from collections.abc import Iterator
from typing import Any

import click

import autograph_rs as ag
from autograph_rs.runtime.core.annotations import signature_of

from .files import FileError, file_errors, in_one_line, position

_SPEC = re.compile(r"(?:(?P<name>\w+)\s*=\s*)?(?P<dtype>\w+)\s*\[(?P<shape>[^\]]*)\]")


def parse_spec(text: str) -> tuple[str | None, ag.TensorSpec]:
    """Parse an argument's spec, such as `float64[None, 3]` or `x=float64[None, 3]`."""
    match = _SPEC.fullmatch(text.strip())
    inside = "" if match is None else match["shape"].strip().removesuffix(",")
    lengths = [n.strip() for n in inside.split(",")] if inside else []
    if match is None or any(n != "None" and not n.isdecimal() for n in lengths):
        raise click.UsageError(f"{text!r} is not a valid spec: write float64[None, 3] or x=float64[None, 3]")
    shape = [None if n == "None" else int(n) for n in lengths]
    try:
        return match["name"], ag.TensorSpec(shape, match["dtype"])
    except ag.AutographError as error:
        raise click.UsageError(f"{text!r}: {error.args[0]}") from error


@contextlib.contextmanager
def user_errors(name: str, what: str, file: str | None = None) -> Iterator[None]:
    """Turn an error raised by user code into a `FileError`, with its position if it was raised in `file`."""
    with file_errors(name):
        try:
            yield
        except FileError:
            raise
        except ag.AutographError as error:
            raise FileError(in_one_line(_located(name, error.place), error)) from error
        except (Exception, SystemExit) as error:
            message = " ".join(str(error).split())
            lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == file]
            at = f"{os.path.relpath(str(file))}:{lines[-1]}" if lines else name
            raise FileError(
                f"{at}: {what} raises {type(error).__name__}{message and ': '}{message}"
            ) from error


def _located(name: str, place: Any) -> str:
    """Return the position of an error in the user's files, or `name` if it occurred in this command."""
    running = {frame.f_code.co_filename for frame, _ in traceback.walk_stack(None)}
    if place is None or place.file in running:
        return name
    return f"{os.path.relpath(place.file)}:{position(place)}"


def import_module(module: str) -> Any:
    sys.path.insert(0, os.getcwd())
    if not module.endswith(".py"):
        with user_errors(module, "the module"):
            return importlib.import_module(module)
    if not os.path.isfile(module):
        raise FileError(f"{module}: No such file or directory")
    folder, file = os.path.split(os.path.abspath(module))
    names = [file.removesuffix(".py")]
    while os.path.isfile(os.path.join(folder, "__init__.py")):
        folder, package = os.path.split(folder)
        names.insert(0, package)
    with user_errors(module, "the module"):
        if len(names) > 1:
            sys.path.insert(0, folder)
            return importlib.import_module(".".join(names))
        return _import_file(names[0], module)


def _import_file(name: str, file: str) -> Any:
    """Import a file that is not in a package, even if another module has the same name."""
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def find_function(module: Any, qualname: str) -> Any:
    """Return a function in a module as an `ag.function`."""
    value = module
    for part in qualname.split("."):
        if not hasattr(value, part):
            raise FileError(f"{module.__name__}: {qualname} is not defined")
        value = getattr(value, part)
    if not callable(value):
        raise FileError(f"{module.__name__}: {qualname} is not a function")
    with user_errors(f"{module.__name__}:{qualname}", "the function"):
        return value if hasattr(value, "get_concrete_function") else ag.function(value)


@click.command()
@click.argument("function", metavar="MODULE:FUNCTION")
@click.option(
    "--spec",
    "specs",
    multiple=True,
    metavar="[NAME=]DTYPE[SHAPE]",
    help="An argument's dtype and shape: None is any length, and int64[] is a scalar.",
)
@click.option("-o", "--output", required=True, metavar="FILE", help="The output file, such as model.onnx.")
@click.option(
    "--variables",
    type=click.Choice(["constant", "explicit"]),
    default="constant",
    show_default=True,
    help="Export Variables as constants, or as inputs and outputs of the model.",
)
def export(function: str, specs: tuple[str, ...], output: str, variables: str) -> None:
    """Write a function as an ONNX model.

    This command imports the module and traces the function. Pass one --spec for each argument, in order or by
    name.

    \b
    autograph-rs export model:predict --spec "float64[None, 3]" -o model.onnx
    autograph-rs export model.py:predict --spec "x=float32[None, 3]" --spec "n=int64[]" -o model.onnx
    """
    module, _, qualname = function.rpartition(":")
    if not module or not qualname:
        raise click.UsageError(f"expected MODULE:FUNCTION or FILE.py:FUNCTION, got {function!r}")
    parsed = [parse_spec(text) for text in specs]
    args = [spec for name, spec in parsed if name is None]
    kwargs = {name: spec for name, spec in parsed if name is not None}
    if len(args) + len(kwargs) < len(parsed):
        raise click.UsageError("two specs have the same name")
    loaded = import_module(module)
    target = find_function(loaded, qualname)
    if parsed or getattr(target, "input_signature", None) is None:
        signature = signature_of(target)
        try:
            if signature is not None:
                signature.bind(*args, **kwargs)
        except TypeError as error:
            raise click.UsageError(f"{qualname}(): {error}: pass one --spec for each argument") from error
    with user_errors(function, "the function", getattr(loaded, "__file__", None)):
        concrete = target.get_concrete_function(*args, **kwargs)
        concrete.to_onnx(output, variables=variables)
