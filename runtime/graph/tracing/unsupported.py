"""Errors about calls of NumPy functions and operators that no graph can hold."""

from __future__ import annotations

from ..errors import AliasError, AssignmentError, LeakError, StagingError, UnsupportedFunctionError
from ..tracebacks import user_operation


def no_rule(name: str) -> UnsupportedFunctionError:
    return UnsupportedFunctionError(
        f"{name} was called on a staged array",
        why="the graph has no rule for it",
        remedy="write it with functions that have one, or run it by ag.py_function",
    )


def at_items(name: str) -> UnsupportedFunctionError:
    return UnsupportedFunctionError(
        f"{name}.at was called on a staged array",
        why="the graph has no rule for it",
        remedy="write the items in a loop: for i in index: x[i] += 1",
    )


def plain_out(name: str) -> AliasError:
    """An array that was made of plain values only gets staged ones: by `+=`, or as the out= of a function."""
    is_operator = user_operation() == "BINARY_OP"
    return AliasError(
        f"{'an operator such as +=' if is_operator else f'the out= of {name}'} writes staged values into a "
        "plain array",
        why="the program cannot change a plain array each time that it runs",
        remedy="make a new array: t = t + x in the place of t += x"
        if is_operator
        else f"take what the function gives: y = {name.replace('numpy', 'np')}(...)",
    )


def foreign(value: object) -> StagingError:
    return StagingError(
        f"{_described(value)} is computed with a staged value, or put among staged values",
        why="a graph holds numbers, truth values, text, arrays and lists of these, and no other objects",
        remedy="give a number or an array in its place, such as np.nan for None",
    )


_ITEMS = {
    "count": "use enumerate(...), or a range",
    "cycle": "index what it repeats: items[i % len(items)] for i of an enumerate",
    "repeat": "use the value that it repeats",
}


def iterated_with(value: object) -> StagingError:
    """One of several iterables that a staged loop takes its items of is neither array, list nor range."""
    kind = type(value).__name__
    return StagingError(
        f"a value of type {kind} is iterated together with staged values",
        why="the graph goes over arrays, ranges and lists of numbers, not over what Python alone can iterate",
        remedy=_ITEMS.get(kind, "make a list of it first: list(...)"),
    )


def _described(value: object) -> str:
    return "None" if value is None else f"a value of type {type(value).__name__}"


def item_of_lists() -> StagingError:
    return StagingError(
        "an item of a list of lists is set at a staged index",
        why="which one it is is known only when the graph runs, and such a list holds numbers, arrays, and "
        "tuples of these",
        remedy="use an array of two dimensions, np.array(rows), and copies of its rows: rows[j].copy()",
    )


def slice_of_list() -> UnsupportedFunctionError:
    return UnsupportedFunctionError(
        "a slice of a list is set, and the list or a bound is staged",
        why="the length of the list depends on staged values, and such a list has no such operation",
        remedy="build another list in a loop, by append",
    )


def other_shape(what: str, shape: object, given: object) -> AssignmentError:
    return AssignmentError(
        f"{what}: its shape is {shape}, not {given}",
        why="the shape of a Variable never changes",
        remedy="give a value of its shape, or make a Variable of that shape",
    )


def list_without_array() -> StagingError:
    return StagingError(
        "a staged list that is empty, or holds lists, is given to a NumPy function",
        why="NumPy's functions take arrays, and the type of such a list's items is not that of an array",
        remedy="append a number or an array to it first, or use an array of two dimensions",
    )


def print_options() -> UnsupportedFunctionError:
    return UnsupportedFunctionError(
        "a staged value becomes text under np.printoptions of its own",
        why="the text is made when the graph runs, with the options that hold around the call",
        remedy="set them there: with np.printoptions(precision=2): f(x)",
    )


def power_of_truths() -> StagingError:
    return StagingError(
        "an array of bool is raised to a power that is a staged int",
        why="the dtype of the result is int8 where that is 2, and another elsewhere",
        remedy="give the array a dtype: x.astype(int) ** k",
    )


def no_result(name: str, samples: list[object]) -> UnsupportedFunctionError:
    kinds = ", ".join(type(sample).__name__ for sample in samples)
    return UnsupportedFunctionError(
        f"{name}() cannot be staged on {kinds}",
        why="what it gives is no number, truth value, text or array",
        remedy="use a function of NumPy",
    )


def shared_argument(graph: str, first: str, second: str) -> AliasError:
    return AliasError(
        f"{graph} writes to its argument {first!r}, which shares memory with {second!r}",
        why="the other argument would have to change too",
        remedy=f"give it a copy of one of them: {first}.copy()",
    )


def returned_iterable(op: str) -> LeakError:
    return LeakError(
        f"a staged {op} is returned",
        why="it is no value, but a way to go over values while the graph runs",
        remedy="return list(...) of it, or what a loop over it makes",
    )
