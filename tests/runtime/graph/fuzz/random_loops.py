"""Random programs of loops over numbers and arrays: what machine code runs.

A body is written statement by statement on sample values, so that each assignment keeps the type of its
variable. The program then runs with several sets of arguments: other sizes, edge values, no iterations.
"""

from __future__ import annotations

import copy
import random
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

FLOATS = (
    0.0, -0.0, 1.0, -1.5, 2.5, 3.0, 0.1, -7.25, 1e3, 1e300, -1e200, 5e-324, np.inf, -np.inf, np.nan,
)  # fmt: skip
SIZES = (0, 1, 2, 3, 4, 7, 8, 9, 31)
DTYPES = (
    "float64", "float64", "float64", "int64", "int64", "float32", "int32", "uint8", "int8", "uint64", "bool",
)  # fmt: skip
INTEGERS = ("int64", "int64", "int32", "uint8", "int8", "uint32", "uint64")
CONSTANTS = (
    "0", "1", "2", "3", "-1", "7", "100", "2**40", "2**62", "0.5", "-2.0", "1e200", "True",
    "np.float32(1.5)", "np.int8(3)", "np.float64(0.0)", "np.uint8(200)", "np.int64(2)",
)  # fmt: skip
BINARY = (
    "{} + {}", "{} - {}", "{} * {}", "{} / {}", "{} // {}", "{} % {}", "{} & {}", "{} | {}", "{} ^ {}",
    "{} < {}", "{} <= {}", "{} == {}", "{} != {}", "{} > {}", "min({}, {})", "max({}, {})",
    "np.maximum({}, {})", "np.minimum({}, {})", "np.hypot({}, {})", "np.arctan2({}, {})",
    "({} + {}) // 2", "({} * {}) % 1000003", "{} << ({} & 31)", "{} >> ({} & 15)", "{} >> {}",
    "math.atan2({}, {})", "({} > 1 and {} < 3)", "({} > 1 or {} < 3)", "np.power({}, {})",
    "np.copysign({}, {})", "np.fmax({}, {})", "np.logical_and({}, {})", "np.remainder({}, {})",
)  # fmt: skip
UNARY = (
    "-{}", "+{}", "~{}", "abs({})", "not {}", "int({})", "float({})", "bool({})", "{} * {}",
    "({} % 1000) ** 3", "{} ** 2", "{} ** 0.5", "math.sqrt({})", "math.sin({})", "math.exp({})",
    "math.floor({})", "np.sqrt({})", "np.exp({})", "np.sin({})", "np.floor({})", "np.sign({})",
    "np.abs({})", "np.isnan({})", "np.square({})", "np.tanh({})", "np.float32({})", "np.int64({})",
    "np.float64({})", "np.rint({})", "np.logical_not({})", "math.ceil({})", "np.log({})",
    "np.negative({})", "np.isfinite({})", "math.trunc({})", "math.fabs({})", "math.tanh({})",
)  # fmt: skip
OF_ARRAY = (
    "{}.sum()", "{}.mean()", "{}.max()", "{}.min()", "{}.any()", "{}.all()", "{}.argmax()", "{}.argmin()",
    "np.count_nonzero({})", "len({})", "{}.shape[0]", "np.sum({})", "np.max({})",
)  # fmt: skip
TO_ARRAY = (
    "{0} + {1}", "{0} * {1}", "{0} - {1}", "{1} - {0}", "{0} / {1}", "{0} // {1}", "{0} % {1}", "-{0}",
    "abs({0})", "np.where({0} > {1}, {0}, {1})", "np.sqrt({0})", "np.exp({0})", "np.maximum({0}, {1})",
    "{0} * {0} + {1}", "{0} > {1}", "{0} == {1}", "np.where({0} != 0, {1} / {0}, 0.0)", "{0}.copy()",
    "np.zeros_like({0})", "np.floor({0} / 2)", "{0}.astype(np.float64)", "{0}.astype(np.float32)",
    "{0}.astype(np.int64)", "{0} ** 2", "{0}[::1]", "{0}[1:]", "{0}[:-1]", "np.sin({0})", "np.isnan({0})",
    "np.ones_like({0})", "{0} & {1}", "np.full_like({0}, {1})", "{0} @ {0}", "{0} << 1", "np.square({0})",
    "~{0}", "np.logical_not({0})",
)  # fmt: skip


@dataclass
class LoopProgram:
    """The source of a function `program`, the specs of its parameters, and sets of arguments."""

    source: str
    specs: tuple[tuple[tuple[int | None, ...], str], ...]
    calls: list[tuple]


def loop_program(seed: int) -> LoopProgram:
    """Return the program of a seed."""
    return _Writer(random.Random(seed)).write()


class _Writer:
    def __init__(self, rng: random.Random):
        self.rng = rng
        self.values: dict[str, Any] = {}
        self.fixed: set[str] = {"n"}  # that no statement assigns
        self.iterated: list[str] = []
        self.count = 0

    def write(self) -> LoopProgram:
        rng = self.rng
        self.specs = {"a": ((None,), rng.choice(DTYPES[:5])), "b": ((None,), rng.choice(DTYPES))}
        if rng.random() < 0.4:
            self.specs["c"] = ((None, None), rng.choice(("float64", "float64", "int64", "float32")))
        self.specs["x"] = ((), rng.choice(("float64", "float64", "float32")))
        self.specs["m"] = ((), rng.choice(INTEGERS))
        self.specs["n"] = ((), "int64")
        arguments = self.arguments(sample=True)
        self.values = dict(zip(self.specs, copy.deepcopy(arguments), strict=True))
        lines = []
        for name, text in (("s", "0"), ("t", "0.5"), ("q", "False"), ("u", "x * 0"), ("w", rng.choice((
            "np.zeros(len(a))", "a * 1", "np.zeros(n)", "np.ones(n, np.int64)", "b.copy()")))):  # fmt: skip
            lines.append(f"{name} = {text}")
            self.run(lines[-1], self.values)
        for _ in range(rng.choice((1, 1, 2))):
            lines += self.loop(2)
            if rng.random() < 0.3:
                lines += self.statement(0)
        lines.append(f"return ({', '.join(n for n in self.values)},)")
        body = "\n".join(f"    {line}" for line in lines)
        calls = [self.arguments(sample=i == 0) for i in range(4)]
        source = f"def program({', '.join(self.specs)}):\n{body}\n"
        return LoopProgram(source, tuple(self.specs.values()), calls)

    # Arguments

    def arguments(self, *, sample: bool) -> tuple:
        rng, size = self.rng, 4 if sample else self.rng.choice(SIZES)
        made = []
        for name, (shape, dtype) in self.specs.items():
            if name == "n":
                made.append(np.int64(size if sample or rng.random() < 0.7 else rng.choice((0, 1, 2, 5, -1))))
            else:
                other = size if sample or rng.random() < 0.8 else rng.choice(SIZES)
                dims = tuple([other, 3 if sample else rng.choice((0, 1, 2, 3, size))][: len(shape)])
                made.append(self.array(dims, np.dtype(dtype), sample=sample))
        return tuple(made)

    def array(self, dims: tuple[int, ...], dtype: np.dtype, *, sample: bool) -> Any:
        rng, count = self.rng, int(np.prod(dims))
        wild = not sample and rng.random() < 0.5
        if dtype.kind == "b":
            values: list[Any] = [rng.random() < 0.5 for _ in range(count)]
        elif dtype.kind in "iu":
            info = np.iinfo(dtype)
            edges = [info.max, info.min, info.max - 1, max(info.min, -1)] if wild else []
            values = [rng.choice([0, 1, 2, 3, 5, 100, *edges]) for _ in range(count)]
        else:
            values = [rng.choice(FLOATS if wild else FLOATS[2:9]) for _ in range(count)]
        with np.errstate(all="ignore"):
            array = np.array(values, np.float64 if dtype.kind == "f" else dtype).astype(dtype).reshape(dims)
        if not dims:
            return array[()]
        if not sample and len(dims) == 1 and rng.random() < 0.1:
            spread = np.zeros(2 * count, dtype)[::2]
            spread[:] = array
            return spread
        return np.asfortranarray(array) if not sample and rng.random() < 0.1 else array

    # Running

    def run(self, text: str, values: dict[str, Any]) -> Exception | None:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                exec(text, _NAMES.copy(), values)
            except Exception as error:
                return error
        return None

    def value(self, text: str) -> Any:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                return eval(text, _NAMES.copy(), copy.deepcopy(self.values))
            except Exception:
                return None

    # Expressions

    def numbers(self) -> list[str]:
        return [k for k, v in self.values.items() if not isinstance(v, np.ndarray)]

    def arrays(self) -> list[str]:
        return [k for k, v in self.values.items() if isinstance(v, np.ndarray)]

    def atom(self) -> str:
        rng = self.rng
        if rng.random() < 0.2:
            return rng.choice(CONSTANTS)
        if rng.random() < 0.3:
            return self.item()
        return rng.choice(self.numbers())

    def item(self) -> str:
        name = self.rng.choice(self.arrays())
        keys = [self.index(name) for _ in range(self.values[name].ndim)]
        return f"{name}[{', '.join(keys)}]"

    def index(self, name: str) -> str:
        rng = self.rng
        counters = [k for k in self.values if k[0] in "ik" and type(self.values[k]) is int] or ["0"]
        i = rng.choice(counters)
        return rng.choice((i, i, i, i, f"{i} - 1", f"{i} + 1", "0", "-1", f"-{i}", f"s % len({name})",
                           f"int(m) % len({name})", f"(i * 7) % len({name})" if "i" in self.values else "1",
                           "s % 3", "m"))  # fmt: skip

    def number(self) -> str:
        rng = self.rng
        kind = rng.random()
        if kind < 0.5:
            return self.binary()
        if kind < 0.7:
            atom = self.atom()
            return rng.choice(UNARY).format(atom, atom)
        if kind < 0.82:
            return rng.choice(OF_ARRAY).format(self.array_atom())
        if kind < 0.9:
            atom = self.atom()
            return f"{atom} if {self.condition()} else {self.atom_like(atom)}"
        return f"({self.binary()}) {rng.choice('+-*')} {self.atom()}"

    def binary(self) -> str:
        form, atom = self.rng.choice(BINARY), self.atom()
        return form.format(atom, self.atom_like(atom) if form.startswith(("min", "max")) else self.atom())

    def atom_like(self, atom: str) -> str:
        """An atom of the same type: of two types, a staged choice has the one that holds both."""
        found = type(self.value(atom))
        return next((a for a in (self.atom() for _ in range(8)) if type(self.value(a)) is found), atom)

    def array_atom(self) -> str:
        rng, name = self.rng, self.rng.choice(self.arrays())
        kind = rng.random()
        if kind < 0.6:
            return name
        if self.values[name].ndim == 2:
            return rng.choice(
                (f"{name}[{self.index(name)}]", f"{name}[:, 0]", f"{name}[1:]", f"{name}[:, 1:]", name)
            )
        key = rng.choice(("1:", ":-1", f"{self.index(name)}:", f":{self.index(name)}", ":", "0:2"))
        return f"{name}[{key}]"

    def array_expression(self) -> str:
        other = self.array_atom() if self.rng.random() < 0.5 else self.atom()
        text = self.rng.choice(TO_ARRAY).format(self.array_atom(), other)
        if self.rng.random() < 0.3:
            sign = self.rng.choice("+-*")
            text = f"({text}) {sign} {self.array_atom() if self.rng.random() < 0.5 else self.atom()}"
        return text

    def condition(self) -> str:
        for _ in range(6):
            sign = self.rng.choice(("<", ">", "==", "<=", "!="))
            text = self.rng.choice((f"{self.atom()} {sign} {self.atom()}", f"{self.atom()} % 2 == 0", "q",
                                    f"{self.array_atom()}.any()", "not q"))  # fmt: skip
            if isinstance(self.value(text), (bool, np.bool_)):
                return text
        return "q"

    # Statements

    def statement(self, depth: int, *, in_loop: bool = True) -> list[str]:
        kind = self.rng.random()
        if kind < 0.45:
            return self.assignment()
        if kind < 0.55:
            return self.array_assignment()
        if kind < 0.72:
            return self.write_item()
        if kind < 0.88:
            return self.branch(depth)
        if kind < 0.94 and depth:
            return self.loop(depth - 1)
        return self.assignment()

    def assignment(self) -> list[str]:
        rng = self.rng
        targets = [k for k in self.numbers() if k not in self.fixed]
        for _ in range(25):
            text = self.number()
            value = self.value(text)
            is_huge = type(value) is int and abs(value) > 2**200
            if value is None or isinstance(value, np.ndarray) or is_huge:
                continue
            name = rng.choice(targets)
            if type(value) is not type(self.values[name]):
                same = [t for t in targets if type(self.values[t]) is type(value)]
                if not same or isinstance(value, complex):
                    continue
                name = rng.choice(same)
            if type(value) is int and ("* " + name in text or name + " *" in text) and "%" not in text:
                continue  # it would have too many digits soon
            self.values[name] = value
            return [f"{name} = {text}"]
        return ["s = s + 1"]

    def array_assignment(self) -> list[str]:
        for _ in range(25):
            text = self.array_expression()
            value = self.value(text)
            if not isinstance(value, np.ndarray) or not value.ndim:
                continue
            same = [
                k for k in self.arrays() if k not in self.iterated and _type(self.values[k]) == _type(value)
            ]
            if not same:
                continue
            name = self.rng.choice(same)
            self.values[name] = value
            return [f"{name} = {text}"]
        return self.assignment()

    def write_item(self) -> list[str]:
        rng = self.rng
        names = [k for k in self.arrays() if k not in self.iterated]
        for _ in range(25 if names else 0):
            name = rng.choice(names)
            sign, right = rng.choice(("=", "=", "+=", "*=", "-=")), self.number()
            if rng.random() < 0.75:
                left = f"{name}[{', '.join(self.index(name) for _ in range(self.values[name].ndim))}]"
            else:
                left = rng.choice(
                    (f"{name}[1:]", f"{name}[:]", f"{name}[{self.index(name)}:]", f"{name}[:2]", name)
                )
                if rng.random() > 0.3:
                    right = rng.choice((self.array_atom(), f"{name}[:-1]", self.array_expression()))
                if left == name and sign == "=":
                    sign = "+="
            text = f"{left} {sign} {right}"
            values = copy.deepcopy(self.values)
            if self.run(text, values) is None and all(
                _type(values[k]) == _type(v) for k, v in self.values.items()
            ):
                self.values = values
                return [text]
        return self.assignment()

    def inner(self, lines: int, depth: int, jump: str = "") -> list[str]:
        before = copy.deepcopy(self.values)
        body = [line for _ in range(lines) for line in self.statement(depth)]
        self.values = {k: self.values[k] for k in before}
        return [f"    {line}" for line in (*body, *([jump] if jump else ()))]

    def branch(self, depth: int) -> list[str]:
        rng = self.rng
        jumps = *[""] * 7, "break", "continue", "raise ValueError('stop')", "assert s < 100, 'big'"
        jump = rng.choice(jumps) if self.iterated else ""
        lines = [f"if {self.condition()}:", *self.inner(rng.randint(1, 2), depth, jump)]
        if rng.random() < 0.5:
            lines += ["else:", *self.inner(rng.randint(1, 2), depth)]
        return lines

    def recurrence(self, depth: int) -> list[str]:
        """A loop whose iterations read what earlier ones wrote, and maybe do more."""
        rng, before = self.rng, copy.deepcopy(self.values)
        if not (vectors := [k for k in self.arrays() if before[k].ndim == 1 and k not in self.iterated]):
            return self.assignment()
        self.count += 1
        i, name = f"i{self.count}", rng.choice(vectors)
        head, write, reads = rng.choice((
            (f"range(2, len({name}))", "", (" - 1", " - 2")), (f"range(1, len({name}))", "", (" - 1",)),
            (f"range(len({name}) - 2)", " + 2", ("", " + 1")), ("range(n - 1)", " + 1", ("",)),
            (f"range(len({name}) - 3, -1, -1)", "", (" + 1", " + 2")), ("range(n)", "", (" - 1", " - 2")),
            (f"range(2, len({name}), 2)", "", (" - 1", " - 2")), ("range(3, n)", "", (" - 3", " - 1", "")),
        ))  # fmt: skip
        self.values[i] = 1
        first, second = (f"{name}[{i}{rng.choice(reads)}]" for _ in range(2))
        terms = first, second, rng.choice((f"{name}[{i}{write}]", self.atom(), self.item()))
        form = rng.choice(("{} + {}", "{} * 0.5 - {}", "min({}, {})", "max({2}, {0}, {1})", "{2} - {0}"))
        line = f"{name}[{i}{write}] {rng.choice(('=', '=', '+='))} {form.format(*terms)}"
        fixed, self.fixed = self.fixed, self.fixed | {i}
        lines = self.inner(rng.randint(1, 2), depth) if rng.random() < 0.4 else []
        self.fixed, self.values = fixed, {k: self.values[k] for k in before}
        return [f"for {i} in {head}:", f"    {line}", *lines]

    def loop(self, depth: int) -> list[str]:
        if self.rng.random() < 0.2:
            return self.recurrence(depth)
        rng, before = self.rng, copy.deepcopy(self.values)
        self.count += 1
        i, k, e, f = (f"{name}{self.count}" for name in "ikef")
        source = rng.choice(self.arrays())
        first = before[source][0]
        forms = (
            (f"for {i} in range(n):", {i: 1}), (f"for {i} in range(len({source})):", {i: 1}),
            (f"for {i} in range(n):", {i: 1}), (f"for {i} in range(len({source})):", {i: 1}),
            (f"for {i} in range(1, n):", {i: 1}), (f"for {i} in range(n, 0, -1):", {i: 1}),
            (f"for {i} in range(0, n, 2):", {i: 1}),
            (f"for {i} in range(len({source}) - 1, -1, -2):", {i: 1}),
            (f"for {i} in reversed(range(n)):", {i: 1}), (f"for {e} in {source}:", {e: first}),
            (f"for {i}, {e} in enumerate({source}):", {i: 1, e: first}),
            (f"for {e}, {f} in zip({source}, a):", {e: first, f: before["a"][0]}),
            (f"while {k} < n:", {k: 1}), (f"while {k} < n and not q:", {k: 1}),
            (f"for {i} in range(s % 7):", {i: 1}),
        )  # fmt: skip
        head, elements = rng.choice(forms)
        self.values.update(elements)
        outer_fixed, outer_iterated = self.fixed, self.iterated
        self.fixed = self.fixed | set(elements)
        self.iterated = [*self.iterated, "", *([source, "a"] if e in elements else [])]
        lines = self.inner(rng.randint(1, 4), depth)
        self.fixed, self.iterated = outer_fixed, outer_iterated
        self.values = {name: self.values[name] for name in before}
        if head.startswith("while"):
            return [f"{k} = 0", head, f"    {k} = {k} + 1", *lines]
        return [head, *lines]


_NAMES: dict[str, Any] = {"np": np, "math": __import__("math")}


def _type(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return np.ndarray, value.dtype, value.ndim, value.shape
    return type(value)
