"""Ten functions with control flow as ONNX models: from plain Python with NumPy, and from ONNX Script.

python -m pip install onnx onnxruntime onnxscript
python examples/onnx_from_python.py

Each function is exported, run by onnxruntime, and compared with Python. The function whose name begins with
`script` says the same in the language of ONNX Script. The line below shows the error that ONNX Script raises,
or that its model gives the same results.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import onnxscript
from onnxscript import FLOAT, INT64
from onnxscript import opset18 as op

import autograph_rs as ag

# Plain Python


def return_in_if(x):
    if x > 0:
        return x
    return -x


def break_first(x, limit):
    total = np.float32(0)
    for value in x:
        if total > limit:
            break
        total += value
    return total


def continue_(x):
    total = np.float32(0)
    for value in x:
        if value < 0:
            continue
        total += value
    return total


def return_in_while(x, limit):
    steps = 0
    while True:
        if x <= limit:
            return x, steps
        x = x / 2
        steps += 1


def nested_loops(n):
    total = 0
    for i in range(n):
        for j in range(i):
            total += i * j
    return total


def nested_break(table, wanted):
    row = -1
    for i in range(len(table)):
        for j in range(len(table)):
            if table[i, j] == wanted:
                row = i
                break
        if row >= 0:
            break
    return row


def helper_call(x):
    return return_in_if(x) + 1


def while_and(x, limit):
    i = 0
    while i < len(x) and x[i] < limit:
        i += 1
    return i


def chained_comparison(x):
    return x if -1 < x < 1 else np.sign(x)


def growing_list(x):
    records, most = [], x[0]
    for value in x:
        if value > most:
            most = value
            records.append(value)
    return records


# ONNX Script

Row, Table = FLOAT["N"], FLOAT["N", "N"]


def script_return_in_if(x: FLOAT) -> FLOAT:
    if x > 0.0:
        return x
    return -x


def script_break_first(x: Row, limit: FLOAT) -> FLOAT:
    total = op.Constant(value_float=0.0)
    for i in range(op.Size(x)):
        if total > limit:
            break
        total = total + op.Gather(x, i)
    return total


def script_continue(x: Row) -> FLOAT:
    total = op.Constant(value_float=0.0)
    for i in range(op.Size(x)):
        value = op.Gather(x, i)
        if value < 0.0:
            continue
        total = total + value
    return total


def script_return_in_while(x: FLOAT, limit: FLOAT) -> tuple[FLOAT, INT64]:
    steps = op.Constant(value_int=0)
    going = op.Constant(value=1) == 1
    while going:
        if x <= limit:
            return x, steps
        x = x / 2.0
        steps = steps + 1
    return x, steps


def script_nested_loops(n: INT64) -> INT64:
    total = op.Constant(value_int=0)
    for i in range(n):
        for j in range(i):
            total = total + i * j
    return total


def script_nested_break(table: Table, wanted: FLOAT) -> INT64:
    row = op.Constant(value_int=-1)
    size = op.Squeeze(op.Shape(table, end=1))
    for i in range(size):
        for j in range(size):
            if op.Gather(op.Gather(table, i), j) == wanted:
                row = i
                break
        if row >= 0:
            break
    return row


def script_helper_call(x: FLOAT) -> FLOAT:
    return return_in_if(x) + 1.0


def script_while_and(x: Row, limit: FLOAT) -> INT64:
    i = op.Constant(value_int=0)
    while i < op.Size(x) and op.Gather(x, i) < limit:
        i = i + 1
    return i


def script_chained_comparison(x: FLOAT) -> FLOAT:
    return x if -1.0 < x < 1.0 else op.Sign(x)


def script_growing_list(x: Row) -> Row:
    records, most = op.SequenceEmpty(), op.Gather(x, 0)
    for i in range(op.Size(x)):
        value = op.Gather(x, i)
        if value > most:
            most = value
            records = op.SequenceInsert(records, value)
    return op.ConcatFromSequence(records, axis=0, new_axis=1)


# Runs

F = np.float32
ROW = np.array([3, -1, 4, 1, 5], F)
TABLE = np.arange(9, dtype=F).reshape(3, 3)
RUNS: list[tuple[Callable[..., Any], Callable[..., Any], list[tuple[Any, ...]]]] = [
    (return_in_if, script_return_in_if, [(F(2),), (F(-3),)]),
    (break_first, script_break_first, [(ROW, F(2)), (ROW, F(99))]),
    (continue_, script_continue, [(ROW,), (-ROW,)]),
    (return_in_while, script_return_in_while, [(F(20), F(3)), (F(1), F(3))]),
    (nested_loops, script_nested_loops, [(np.int64(5),), (np.int64(0),)]),
    (nested_break, script_nested_break, [(TABLE, F(5)), (TABLE, F(9))]),
    (helper_call, script_helper_call, [(F(2),), (F(-3),)]),
    (while_and, script_while_and, [(ROW, F(4)), (ROW, F(9))]),
    (chained_comparison, script_chained_comparison, [(F(0.5),), (F(-7),)]),
    (growing_list, script_growing_list, [(ROW,), (np.sort(ROW),)]),
]


def run(model: bytes, arguments: tuple[Any, ...]) -> list[Any]:
    session = onnxruntime.InferenceSession(model)
    names = [described.name for described in session.get_inputs()]
    return list(session.run(None, dict(zip(names, map(np.asarray, arguments), strict=True))))


def check(f: Callable[..., Any], model: bytes, calls: list[tuple[Any, ...]]) -> None:
    """Raise an AssertionError if a model gives other results than Python."""
    for arguments in calls:
        expected = f(*arguments)
        expected = expected if isinstance(expected, tuple) else (expected,)
        np.testing.assert_array_equal(run(model, arguments), expected)


def exported(f: Callable[..., Any], arguments: tuple[Any, ...]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        ag.function(f).get_concrete_function(*arguments).to_onnx(path)
        return path.read_bytes()


def onnx_script(f: Callable[..., Any], script: Callable[..., Any], calls: list[tuple[Any, ...]]) -> str:
    """What ONNX Script makes of a function: the first line of its error, or that its model is right."""
    try:
        model = onnxscript.script(default_opset=op)(script).to_model_proto()
        check(f, model.SerializeToString(), calls)
    except Exception as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"
    return "equal"


if __name__ == "__main__":
    for f, script, calls in RUNS:
        check(f, exported(f, calls[0]), calls)
        print(f"{f.__name__}: equal")
        print(f"    ONNX Script: {onnx_script(f, script, calls)}")
