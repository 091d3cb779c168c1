"""What the traces of a function have been made for: names of leaves, generalised shapes, texts."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from autograph_rs.runtime.errors import AliasError, ArgumentError, SignatureError, StagingError, told
from autograph_rs.runtime.graph.compare import same_value
from autograph_rs.runtime.graph.concrete import Inputs
from autograph_rs.runtime.graph.specs import Identity, TensorSpec, key
from autograph_rs.runtime.graph.types import ArrayType, ListType
from autograph_rs.runtime.graph.variables import Variable, VariableSpec
from autograph_rs.runtime.structures import Spec, fields_of, fits, flatten, paths, unflatten

_FRAMEWORKS = frozenset(("jax", "jaxlib", "tensorflow", "torch"))


def spec_of(leaf: Any) -> TensorSpec | None:
    """The spec under which a leaf is staged; None for what stays a Python value."""
    if isinstance(leaf, TensorSpec):
        return leaf
    if isinstance(leaf, np.ndarray) and type(leaf) not in (np.ndarray, np.memmap):
        raise StagingError(
            f"an argument of type {type(leaf).__name__} cannot be staged",
            why="what it does beyond an array's work would be lost",
            remedy="pass np.asarray(x)",
        )
    if isinstance(leaf, (np.ndarray, np.generic)):
        return TensorSpec(leaf.shape, leaf.dtype)
    if type(leaf).__module__.partition(".")[0] in _FRAMEWORKS and hasattr(leaf, "__array__"):
        raise StagingError(
            f"an argument is an array of {type(leaf).__module__.partition('.')[0]}",
            why="the embedded graph is of NumPy's arrays, whichever engine runs it",
            remedy="pass np.asarray(x); in code that the framework traces call ag.convert(f), or to_jax()",
        )
    return None


def parameters_of(f: Callable[..., Any]) -> inspect.Signature | None:
    try:
        return inspect.signature(f)
    except (TypeError, ValueError):
        return None


class Defaults:
    """Watches that a trace does not change the lists and dicts that are defaults, and makes that undone."""

    def __init__(self, signature: inspect.Signature | None):
        parameters = {} if signature is None else signature.parameters
        defaults = {name: p.default for name, p in parameters.items()}
        self.kept = [(n, d, d.copy(), flatten(d)) for n, d in defaults.items() if type(d) in (list, dict)]

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for name, default, copy, (leaves, spec) in self.kept:
            now, made = flatten(default)
            if made == spec and all(map(operator.is_, now, leaves)):
                continue
            default.clear()
            default.extend(copy) if type(default) is list else default.update(copy)
            if kind is None:
                what = type(default).__name__
                raise AliasError(
                    f"the function changes the {what} that is the default of {name!r}",
                    why=f"Python has one such {what} for all calls, and here this is done once, in the trace",
                    remedy=f"let the default be None and make the {what} in the function, or pass the {what}",
                )


def leaf_names(
    signature: inspect.Signature | None, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> list[str]:
    """A readable name for each leaf of `(args, kwargs)`."""
    parameters = [] if signature is None else list(signature.parameters.values())
    names: list[str] = []
    for i, value in enumerate(args):
        names += paths(flatten(value, changeable=True)[1], _name_of(parameters, i))
    for name, value in kwargs.items():
        names += paths(flatten(value, changeable=True)[1], name)
    return names


def _name_of(parameters: Sequence[inspect.Parameter], place: int) -> str:
    """The name of the argument at a place; `xs[1]` of one that `*xs` takes."""
    for i, parameter in enumerate(parameters[: place + 1]):
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            return f"{parameter.name}[{place - i}]"
        if i == place and parameter.kind <= inspect.Parameter.POSITIONAL_OR_KEYWORD:
            return parameter.name
    return f"args[{place}]"


def _as_array(value: Any, spec: TensorSpec) -> Any:
    kinds = {bool: "biufc", int: "iufc", float: "fc", complex: "c"}
    if spec.shape == () and spec.dtype.kind in kinds.get(type(value), ""):
        return np.asarray(value, spec.dtype)[()]
    return value


class InputSignature:
    """The `TensorSpec`s that all calls of a function must fit, in the structure of its arguments."""

    def __init__(self, specs: Sequence[Any]):
        if not isinstance(specs, (list, tuple)):
            given: Any = specs
            is_one = isinstance(given, TensorSpec)
            spec = f"ag.TensorSpec({given.shape}, '{given.dtype}')" if is_one else _SPEC
            raise _no_signature(
                f"input_signature is a list with a spec for each argument, not {told(specs)}",
                f"input_signature=[{spec}]",
            )
        self.structure = tuple(specs)
        self.specs, self.spec = flatten(self.structure)
        wrong = [s for s in self.specs if not isinstance(s, TensorSpec)]
        if wrong:
            raise _no_signature(
                f"input_signature holds a TensorSpec for each array, not {told(wrong[0])}",
                f"input_signature=[{_SPEC}], a spec for each argument",
            )

    def fitted(self, name: str, args: tuple[Any, ...]) -> list[Any]:
        """The leaves of a call, Python's numbers among them as arrays.

        Raises:
            SignatureError: they do not fit.
        """
        leaves, spec = flatten(args)
        if spec == self.spec:
            leaves = [_as_array(v, s) for v, s in zip(leaves, self.specs, strict=True)]
            if all(s.admits(v) for v, s in zip(leaves, self.specs, strict=True)):
                return leaves
        raise SignatureError(
            f"{name} was called with ({shown(args)}), but its input_signature is ({shown(self.structure)})",
            why="one graph, made for the input signature, serves all calls",
            remedy="give arguments of these dtypes and shapes, or leave input_signature out",
        )


_SPEC = "ag.TensorSpec((None,), 'float64')"


def _no_signature(what: str, instead: str) -> ArgumentError:
    why = "it says dtype and shape of the arrays that all calls give"
    return ArgumentError(what, why=why, remedy=f"give {instead}")


def shown(values: Iterable[Any]) -> str:
    """Arguments, arrays as dtype and shape."""
    return ", ".join(shown_value(value) for value in values)


def shown_value(value: Any) -> str:
    """A value, arrays in it as dtype and shape."""
    leaves, spec = flatten(value, changeable=True)
    return _structured(spec, iter([_leaf_text(leaf) for leaf in leaves]))


def _leaf_text(leaf: Any) -> str:
    if isinstance(leaf, type):
        return leaf.__name__
    spec = spec_of(leaf)
    if spec is not None:
        return str(spec.type)
    return str(leaf) if isinstance(leaf, ListType) else repr(leaf)


def _structured(spec: Spec, texts: Iterator[str]) -> str:
    if spec.kind is None:
        return next(texts)
    if spec.kind is dict:
        return "{" + ", ".join(f"{k!r}: {_structured(p, texts)}" for k, p in spec.items()) + "}"
    if spec.kind is list:
        return "[" + ", ".join(_structured(p, texts) for p in spec.parts) + "]"
    if spec.kind is tuple:
        inner = ", ".join(_structured(p, texts) for p in spec.parts)
        return f"({inner},)" if len(spec.parts) == 1 else f"({inner})"
    named = zip(fields_of(spec), spec.parts, strict=True)
    inner = ", ".join(f"{n}={_structured(p, texts)}" for n, p in named)
    return f"{spec.kind.__name__}({inner})"


def call_text(name: str, inputs: Inputs, signature: inspect.Signature | None) -> str:
    """`f(x: float64[2], n=3)`: the name of a function and what its arguments are in one trace."""
    args, kwargs = inputs.build()
    parameters = [] if signature is None else list(signature.parameters.values())
    texts = []
    for i, value in enumerate(args):
        positional = i < len(parameters) and parameters[i].kind <= inspect.Parameter.POSITIONAL_OR_KEYWORD
        texts.append(_argument(parameters[i].name if positional else "", value))
    texts += [_argument(n, value) for n, value in kwargs.items()]
    return f"{name}({', '.join(texts)})"


def _argument(name: str, value: Any) -> str:
    text = shown_value(value)
    if not name:
        return text
    staged = any(isinstance(leaf, TensorSpec) for leaf in flatten(value, changeable=True)[0])
    return f"{name}: {text}" if staged else f"{name}={text}"


def bound_leaves(
    inputs: Inputs, signature: inspect.Signature | None, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[list[Any], Any]:
    """The leaves of a call of one trace, and `(args, kwargs)`; plain arguments may be left out.

    Raises:
        SignatureError: an argument is missing, or too many, or is of another type than it was traced for.
    """
    traced_args, traced_kwargs = inputs.build()
    positional, named = list(traced_args), dict(traced_kwargs)
    parameters = [] if signature is None else list(signature.parameters.values())
    names = [parameter.name for parameter in parameters]
    if len(args) > len(positional):
        raise _unfit(f"{len(args)} arguments are given by position, but {len(positional)} were traced")
    staged = [i for i, value in enumerate(positional) if _is_staged(value)]
    given = dict(zip(staged if len(args) == len(staged) else range(len(args)), args, strict=False))
    for name, value in kwargs.items():
        if name in named:
            continue
        place = names.index(name) if name in names else len(positional)
        if place >= len(positional) or place in given:
            raise _unfit(f"there is no argument {name!r}, or it is given twice")
        given[place] = value
    for i in range(len(positional)):
        positional[i] = _checked(_name_of(parameters, i), positional[i], given.get(i, _MISSING))
    named = {name: _checked(name, value, kwargs.get(name, _MISSING)) for name, value in named.items()}
    arguments = (tuple(positional), named)
    leaves = flatten(arguments, changeable=True)[0]
    if not _are_told_apart(inputs, leaves):
        raise _unfit("its Variables are the same where others were traced, or others for the same")
    return leaves, arguments


def _unfit(what: str) -> SignatureError:
    return SignatureError(
        what,
        why="a concrete function is one graph, which takes what it was traced for",
        remedy="give such arguments, or call the function that it is a trace of, which traces anew",
    )


_MISSING = object()


def _is_staged(traced: Any) -> bool:
    return any(isinstance(leaf, (TensorSpec, VariableSpec)) for leaf in flatten(traced, changeable=True)[0])


def takes(inputs: Inputs, spec: Spec, leaves: Sequence[Any]) -> bool:
    """Whether a trace is the one for arguments of this structure, as `Function` tells traces apart.

    A `TensorSpec` among the leaves stands for an array of one dimension or more.
    """
    if not fits(inputs.spec, spec):
        return False
    for i, (own, leaf) in enumerate(zip(inputs.leaves, leaves, strict=True)):
        form = inputs.forms.get(i)
        if isinstance(own, TensorSpec) and not isinstance(leaf, (np.ndarray, np.generic, TensorSpec)):
            return False
        if form is not None and isinstance(leaf, np.ndarray) is not (form == "array"):
            return False
        if not _fits_leaf(own, leaf):
            return False
    return _are_told_apart(inputs, leaves)


def _fits_leaf(own: Any, leaf: Any) -> bool:
    if isinstance(own, (TensorSpec, VariableSpec)):
        return own.admits(leaf)
    return key(leaf) == own if isinstance(own, Identity) else same_value(leaf, own)


def _are_told_apart(inputs: Inputs, leaves: Sequence[Any]) -> bool:
    """Whether Variables among the arguments are the same, and others, as in the trace."""
    given: dict[int, Variable] = {}
    for own, leaf in zip(inputs.leaves, leaves, strict=True):
        if isinstance(own, VariableSpec) and given.setdefault(own.number, leaf) is not leaf:
            return False
    known = [*given.values(), *(v for v in inputs.state if isinstance(v, Variable))] if given else []
    return len(set(map(id, known))) == len(known)


def _checked(name: str, traced: Any, value: Any) -> Any:
    """The value of one argument, which must be what was traced."""
    leaves, spec = flatten(traced, changeable=True)
    if value is _MISSING:
        if _is_staged(traced):
            raise _unfit(f"the argument {name!r}, {shown_value(traced)}, is missing")
        return unflatten(spec, [leaf.get() if isinstance(leaf, Identity) else leaf for leaf in leaves])
    given, given_spec = flatten(value, changeable=True)
    if not fits(spec, given_spec):
        raise _unfit(f"the argument {name!r} was traced as {shown_value(traced)}, not {shown_value(value)}")
    fitted = []
    for leaf, new in zip(leaves, given, strict=True):
        if isinstance(leaf, TensorSpec):
            new = _as_array(new, leaf)
        if not _fits_leaf(leaf, new):
            raise _unfit(
                f"the argument {name!r} was traced as {shown_value(traced)}, not {shown_value(value)}"
            )
        fitted.append(new)
    return unflatten(spec, fitted)


def generalised(keys: Sequence[Any]) -> list[Any]:
    """Leaf keys that differ in the shapes of arrays, with None where they do."""
    found = []
    for leaf_keys in zip(*keys, strict=True):
        first = leaf_keys[0]
        if is_array_key(first):
            shapes = zip(*(k[1] for k in leaf_keys), strict=True)
            shape = tuple(d[0] if len(set(d)) == 1 else None for d in shapes)
            found.append((first[0], shape, first[2]))
        else:
            found.append(first)
    return found


def is_array_key(leaf_key: Any) -> bool:
    return type(leaf_key) is tuple and len(leaf_key) == 3 and isinstance(leaf_key[0], np.dtype)


def ranks(keys: Sequence[Any]) -> Any:
    """Equal for leaf keys that differ at most in the lengths of arrays."""
    return tuple([(k[0], len(k[1]), k[2]) if is_array_key(k) else k for k in keys])


def key_text(leaf_key: Any) -> str:
    if is_array_key(leaf_key):
        return str(ArrayType(leaf_key[0], leaf_key[1]))
    if type(leaf_key) is tuple and leaf_key[0] in (float, complex):
        parts = [float.fromhex(text) for text in leaf_key[1:]]
        return repr(complex(*parts) if leaf_key[0] is complex else parts[0])
    return repr(leaf_key[1]) if type(leaf_key) is tuple else repr(leaf_key)


def changed_arguments(names: Sequence[str], history: Sequence[tuple[list[str], list[Any]]]) -> list[str]:
    """`x was float64[1], float64[2]` for each leaf that differs between traces of these names."""
    changed = []
    for place, name in enumerate(names):
        found = [key_text(keys[place]) for n, keys in history if n == names and len(keys) > place]
        distinct = list(dict.fromkeys(found))
        if len(distinct) > 1:
            changed.append(f"{name} was {', '.join(distinct[:4])}{', ...' if len(distinct) > 4 else ''}")
    return changed
