"""Runs a concrete function in onnxruntime, and gives its results in the form that the function returns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import onnxruntime

from autograph_rs.runtime.export.onnx.model import to_model
from autograph_rs.runtime.graph.ir.types import ArrayType, ListType, OptionalType, ScalarType, TupleType
from autograph_rs.runtime.values.structures import flatten


def session(content: bytes | str) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


class Exported:
    """A concrete function as a model that is loaded; called with the function's arguments."""

    def __init__(self, function: Any, *, explicit: bool = False):
        self.concrete = function.concrete
        self.session = session(to_model(self.concrete, explicit=explicit).SerializeToString())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        leaves, _ = flatten((args, kwargs), mutable_dataclasses=True)
        given = [np.asarray(leaves[i]) for i in self.concrete.inputs.staged]
        return self.run(*given)

    def run(self, *arrays: Any) -> Any:
        """The function's result; what it writes in the arrays is written."""
        wanted = {i.name: i.type for i in self.session.get_inputs()}
        feeds = dict(zip([i.name for i in self.session.get_inputs()], arrays, strict=False))
        feeds = {
            name: np.asarray(value, dtype=object) if wanted[name] == "tensor(string)" else value
            for name, value in feeds.items()
        }
        results = self.session.run(None, feeds)
        self.named = dict(zip([o.name for o in self.session.get_outputs()], results, strict=True))
        values = iter(results)
        built = list(self.leaves(values))
        for index in self.concrete.writes:
            arrays[index][...] = next(values)
        outputs = self.concrete.outputs
        places = [None if i is None else n for n, i in enumerate(outputs.indices)]
        assert not list(values)
        return type(outputs)(outputs.spec, built, [None] * len(places), outputs.fresh).build([])

    def leaves(self, values: Iterator[Any]) -> Iterator[Any]:
        outputs, results = self.concrete.outputs, self.concrete.graph.results
        for plain, place in zip(outputs.plain, outputs.indices, strict=True):
            if place is not None:
                yield received(values, results[place].type)
            else:
                value = None if plain is None else next(values)
                yield value if plain is None or isinstance(plain, np.ndarray) else type(plain)(value[()])


def received(values: Iterator[Any], kind: Any) -> Any:
    """The value of a type that comes next: a list of tuples comes column by column."""
    if isinstance(kind, ListType):
        if isinstance(kind.element, TupleType):
            columns = [received(values, ListType(part)) for part in kind.element.parts]
            return list(zip(*columns, strict=True))
        return [plain(item, kind.element) for item in next(values)]
    if isinstance(kind, TupleType):
        return tuple([received(values, part) for part in kind.parts])
    if isinstance(kind, OptionalType):
        is_some, value = bool(next(values)), received(values, kind.held)
        return value if is_some else None
    return plain(next(values), kind)


def plain(value: Any, kind: Any) -> Any:
    if isinstance(kind, ScalarType):
        return kind.python(value.item() if isinstance(value, (np.ndarray, np.generic)) else value)
    if isinstance(kind, ArrayType) and kind.dtype.kind == "U":
        return np.asarray(value, dtype=str)[()]
    assert isinstance(value, (np.ndarray, np.generic))
    if kind is not None:
        assert value.dtype == kind.dtype, (value.dtype, kind)
    return value[()]
