"""`autograph-rs export`: a function as a model that runs without Python."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import inspect
import os
import re
import sys
import traceback
from collections.abc import Iterator
from typing import Any

import click

import autograph_rs as ag

from .files import FileError, in_one_line, position, refusals

_SPEC = re.compile(r"(?:(?P<name>\w+)\s*=\s*)?(?P<dtype>\w+)\s*\[(?P<shape>[^\]]*)\]")


def parsed(text: str) -> tuple[str | None, ag.TensorSpec]:
    """The name and the spec of an argument: `float64[None, 3]` or `x=float64[None, 3]`."""
    found = _SPEC.fullmatch(text.strip())
    inside = "" if found is None else found["shape"].strip().removesuffix(",")
    lengths = [n.strip() for n in inside.split(",")] if inside else []
    if found is None or any(n != "None" and not n.isdecimal() for n in lengths):
        raise click.UsageError(f"{text!r} is no spec: write float64[None, 3], or x=float64[None, 3]")
    shape = [None if n == "None" else int(n) for n in lengths]
    try:
        return found["name"], ag.TensorSpec(shape, found["dtype"])
    except ag.AutographError as error:
        raise click.UsageError(f"{text!r}: {error.args[0]}") from error


@contextlib.contextmanager
def users_errors(name: str, what: str, file: str | None = None) -> Iterator[None]:
    """What the user's own code raises, as one line, which tells the place if that is in a file.

    Raises:
        FileError: it raised something.
    """
    with refusals(name):
        try:
            yield
        except FileError:
            raise
        except ag.AutographError as error:
            raise FileError(in_one_line(_located(name, error.place), error)) from error
        except (Exception, SystemExit) as error:
            told = " ".join(str(error).split())
            lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == file]
            at = f"{os.path.relpath(str(file))}:{lines[-1]}" if lines else name
            raise FileError(f"{at}: {what} raises {type(error).__name__}{told and ': '}{told}") from error


def _located(name: str, place: Any) -> str:
    """Where an error is, in the user's files; one that is about the call itself is about what was named."""
    running = {frame.f_code.co_filename for frame, _ in traceback.walk_stack(None)}
    if place is None or place.file in running:
        return name
    return f"{os.path.relpath(place.file)}:{position(place)}"


def imported(module: str) -> Any:
    """A module, by its name or its file.

    Raises:
        FileError: there is none, or it raises an error.
    """
    sys.path.insert(0, os.getcwd())
    if not module.endswith(".py"):
        with users_errors(module, "the module"):
            return importlib.import_module(module)
    if not os.path.isfile(module):
        raise FileError(f"{module}: No such file or directory")
    folder, file = os.path.split(os.path.abspath(module))
    names = [file.removesuffix(".py")]
    while os.path.isfile(os.path.join(folder, "__init__.py")):
        folder, package = os.path.split(folder)
        names.insert(0, package)
    with users_errors(module, "the module"):
        if len(names) > 1:
            sys.path.insert(0, folder)
            return importlib.import_module(".".join(names))
        return _of_file(names[0], module)


def _of_file(name: str, file: str) -> Any:
    """A module that is in no package; its file may have a name that another module has."""
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    made = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def found(module: Any, qualname: str) -> Any:
    """A function of a module, ready to be traced."""
    value = module
    for part in qualname.split("."):
        if not hasattr(value, part):
            raise FileError(f"{module.__name__}: there is no {qualname}")
        value = getattr(value, part)
    if not callable(value):
        raise FileError(f"{module.__name__}: {qualname} is no function")
    with users_errors(f"{module.__name__}:{qualname}", "it"):
        return value if hasattr(value, "get_concrete_function") else ag.function(value)


@click.command()
@click.argument("function", metavar="MODULE:FUNCTION")
@click.option(
    "--spec",
    "specs",
    multiple=True,
    metavar="[NAME=]DTYPE[SHAPE]",
    help="An argument, such as float64[None, 3]; int64[] is a number, None a length that is left open.",
)
@click.option("-o", "--output", required=True, metavar="FILE", help="The model, such as model.onnx.")
@click.option(
    "--variables",
    type=click.Choice(["constant", "explicit"]),
    default="constant",
    show_default=True,
    help="Variables as constants of the model, or as inputs and outputs.",
)
def export(function: str, specs: tuple[str, ...], output: str, variables: str) -> None:
    """Write a function as an ONNX model.

    The module is imported, and the function is run once, on values that stand for its arguments. One --spec
    for each argument, in their order or by name.

    \b
    autograph-rs export model:predict --spec "float64[None, 3]" -o model.onnx
    autograph-rs export model.py:predict --spec "x=float32[None, 3]" --spec "n=int64[]" -o model.onnx
    """
    module, _, qualname = function.rpartition(":")
    if not module or not qualname:
        raise click.UsageError(f"{function!r} is not MODULE:FUNCTION or FILE.py:FUNCTION")
    given = [parsed(text) for text in specs]
    args = [spec for name, spec in given if name is None]
    kwargs = {name: spec for name, spec in given if name is not None}
    if len(args) + len(kwargs) < len(given):
        raise click.UsageError("two specs have one name")
    loaded = imported(module)
    target = found(loaded, qualname)
    if given or getattr(target, "input_signature", None) is None:
        try:
            inspect.signature(target).bind(*args, **kwargs)
        except TypeError as error:
            raise click.UsageError(f"{qualname}(): {error}: give a --spec for each argument") from error
    with users_errors(function, "the function", getattr(loaded, "__file__", None)):
        concrete = target.get_concrete_function(*args, **kwargs)
        concrete.to_onnx(output, variables=variables)
