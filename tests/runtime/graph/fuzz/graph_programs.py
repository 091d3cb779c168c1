"""Random NumPy programs: a generator that runs each statement as it writes it.

So it knows what each variable holds, and lets branches and loops keep the kind, dtype and shape of what
they assign. A program that raises does so in its last statement.
"""

from __future__ import annotations

import copy
import random
import warnings
from typing import Any

import numpy as np

DTYPES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
    "float64", "float64", "float64", "int64", "complex64", "complex128",
)  # fmt: skip
SHAPES = ((), (), (1,), (3,), (3,), (4,), (2, 3), (2, 3), (3, 2), (3, 3), (0,), (2, 0))
CONSTANTS = (
    "0", "1", "-1", "2", "3", "7", "0.0", "-0.0", "1.0", "0.5", "-2.0", "1e300", "True", "False", "1j",
    "np.float32(1.5)", "np.int8(3)", "np.float64(0.0)", "np.uint8(200)", "np.nan", "np.inf",
)  # fmt: skip
OPERATORS = ("+", "-", "*", "+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>", "@")
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
UNARY = (
    "-{}", "~{}", "+{}", "abs({})", "np.sqrt({})", "np.exp({})", "np.tanh({})", "np.sin({})", "np.floor({})",
    "np.sign({})", "np.isnan({})", "np.isfinite({})", "np.square({})", "np.conj({})", "np.log1p({})",
    "np.real({})", "np.imag({})", "np.logical_not({})", "np.rint({})", "np.reciprocal({})", "np.signbit({})",
    "-(-{})", "~~{}", "np.negative({})", "np.angle({})",
)  # fmt: skip
BINARY = (
    "np.maximum({}, {})", "np.minimum({}, {})", "np.hypot({}, {})", "np.logaddexp({}, {})",
    "np.arctan2({}, {})", "np.copysign({}, {})", "np.logical_and({}, {})", "np.logical_xor({}, {})",
    "np.fmax({}, {})", "np.add({}, {})", "np.multiply({}, {})", "np.outer({}, {})", "np.dot({}, {})",
    "np.where({} > {}, 1.0, 0.0)", "np.power({}, {})", "np.float_power({}, {})", "np.remainder({}, {})",
    "np.array_equal({}, {})", "np.concatenate([{}, {}])", "np.stack([{}, {}])", "np.nextafter({}, {})",
)  # fmt: skip
REDUCTIONS = (
    "{}.sum()", "{}.mean()", "{}.max()", "{}.min()", "{}.prod()", "{}.any()", "{}.all()", "{}.argmax()",
    "{}.argmin()", "{}.std()", "{}.cumsum()", "{}.sum(axis=0)", "{}.mean(axis=0)", "{}.max(axis=-1)",
    "{}.sum(axis=1)", "np.sum({}, axis=0, keepdims=True)", "np.count_nonzero({})", "np.median({})",
    "{}.var(axis=0)", "np.ptp({})", "np.cumprod({}, axis=0)", "np.add.reduce({})", "np.diff({})",
    "np.maximum.accumulate({})", "np.linalg.norm({})", "np.trace({})", "np.sort({})", "np.argsort({})",
)  # fmt: skip
PLACES = (
    "[0]", "[-1]", "[1:]", "[::2]", "[::-1]", "[:-1]", "[:]", "[...]", "[None]", "[..., None]", "[:, 0]",
    "[0, 1:]", "[1, 1]", "[:, ::-1]", "[[0, 1]]", "[[0, 0, 1]]", "[..., 0]", "[()]", "[7]", "[0:0]",
)  # fmt: skip
RESHAPES = (
    ".reshape(-1)", ".T", ".ravel()", ".reshape((3, 2))", ".reshape((2, 3))", ".reshape((1, -1))",
    ".transpose()", ".T.T", ".copy()", ".flatten()", ".squeeze()", ".reshape(())", ".swapaxes(0, 1)",
)  # fmt: skip
SAME = (
    "{} * 1", "1 * {}", "{} / 1", "{} - 0", "{} + 0", "{} - 0.0", "{} + -0.0", "{} ** 1", "{} | 0", "{} ^ 0",
    "{} & -1", "{} << 0", "{} // 1", "{}.astype({}.dtype)", "+{}", "{} + 0.0", "{} * 1.0", "{} | False",
)  # fmt: skip


class Program:
    """The source of a function `program`, its arguments, and whether all that it computes is returned."""

    def __init__(self, source: str, arguments: tuple, complete: bool):
        self.source, self.arguments, self.complete = source, arguments, complete


def program(seed: int) -> Program:
    """The program of a seed."""
    return _Writer(random.Random(seed)).write()


class _Writer:
    def __init__(self, rng: random.Random):
        self.rng = rng
        self.values: dict[str, Any] = {}
        self.lines: list[str] = []
        self.count = 0
        self.raised = False
        self.ordered = True  # else a reshape may be a copy, which the graph cannot know
        self.whole: set[str] = set()  # arguments that still are what they were

    def write(self) -> Program:
        rng = self.rng
        count = rng.randint(1, 3)
        arguments = (*(self.argument() for _ in range(count)), np.int64(rng.choice((0, 1, 2, 3))))
        names = [*"abc"[:count], "n"]
        self.whole = set(names)
        self.values = dict(zip(names, copy.deepcopy(arguments), strict=True))
        for _ in range(rng.randint(2, 9)):
            if self.raised:
                break
            kind = rng.random()
            if kind < 0.72:
                self.assign()
            elif kind < 0.86:
                self.store()
            else:
                self.block()
        complete = rng.random() < 0.7 and not self.raised  # what raises has no name to return
        shown = list(self.values)
        if not complete:
            shown = rng.sample(shown, rng.randint(1, len(shown)))
        body = "\n".join(f"    {line}" for line in (*self.lines, f"return ({', '.join(shown)},)"))
        return Program(f"def program({', '.join(names)}):\n{body}\n", arguments, complete)

    def argument(self) -> Any:
        rng, dtype, shape = self.rng, np.dtype(self.rng.choice(DTYPES)), self.rng.choice(SHAPES)
        size = int(np.prod(shape))
        if dtype.kind == "b":
            values = [rng.random() < 0.5 for _ in range(size)]
        elif dtype.kind in "iu":
            info = np.iinfo(dtype)
            edges = [0, 1, 2, 3, 5, 100, info.max, info.min]
            values = [rng.choice(edges) if rng.random() < 0.9 else max(info.min, -1) for _ in range(size)]
        else:
            edges = [0.0, -0.0, 1.0, -1.5, 2.5, 1e3, 3.0, 0.1, -7.25, np.inf, -np.inf, np.nan]
            weights = [2, 2, 4, 4, 4, 2, 3, 3, 3, 1, 1, 1]
            values = rng.choices(edges, weights, k=size)
            if dtype.kind == "c":
                values = [complex(v, rng.choice(edges[:9])) for v in values]
        array = np.array(values, dtype).reshape(shape)
        if len(shape) == 2 and rng.random() < 0.2:
            self.ordered = False
            return np.asfortranarray(array)
        return array if shape or rng.random() < 0.3 else array[()]

    # Expressions

    def variable(self) -> str:
        return self.rng.choice(list(self.values))

    def operand(self) -> str:
        return self.rng.choice(CONSTANTS) if self.rng.random() < 0.25 else self.variable()

    def expression(self) -> str:
        rng, x = self.rng, self.variable()
        match rng.randrange(11):
            case 0 | 1 | 2:
                left, right = (x, self.operand()) if rng.random() < 0.7 else (self.operand(), x)
                return f"{left} {rng.choice(OPERATORS)} {right}"
            case 3:
                return f"{x} {rng.choice(COMPARISONS)} {self.operand()}"
            case 4:
                return rng.choice(UNARY).format(x)
            case 5:
                return rng.choice(BINARY).format(x, self.operand())
            case 6:
                return rng.choice(REDUCTIONS).format(x)
            case 7:
                return f"{x}{self.place()}"
            case 8:
                return f"{x}{rng.choice(RESHAPES)}"
            case 9:
                return rng.choice(SAME).format(x, x)
            case _:
                y = self.variable()
                return rng.choice((
                    f"{x}.astype(np.{rng.choice(DTYPES[1:]) if rng.random() < 0.9 else 'bool_'})",
                    f"np.where({x} > {self.operand()}, {x}, {y})",
                    f"({x} + {y}) * {x} - {y}",
                    f"({x} + {y}) - ({x} + {y})",
                    f"np.clip({x}, 0, 2)",
                    f"np.zeros_like({x})",
                    f"np.ones(3) * {x}",
                    f"np.tanh({x} * 0.5) + np.tanh({x} * 0.5)",
                    f"float({x})",
                    f"int({x})",
                    f"bool({x})",
                ))  # fmt: skip

    def place(self) -> str:
        rng = self.rng
        if rng.random() < 0.2:
            x = self.variable()
            return rng.choice((f"[{x} > 0]", f"[{x}]", "[n]", "[n:]", "[:n]", f"[{x} == {x}]"))
        return rng.choice(PLACES)

    def run(self, text: str, values: dict[str, Any]) -> Any:
        """Run a statement; the exception that it raised."""
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                exec(text, {"np": np}, values)
            except Exception as error:
                return error
        return None

    def value(self, text: str, values: dict[str, Any]) -> Any:
        """Return the value of an expression on copies of the values, or None if it raises."""
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                return eval(text, {"np": np}, copy.deepcopy(values))
            except Exception:
                return None

    # Statements

    def fits(self, value: Any) -> bool:
        if isinstance(value, (int, float)):
            return abs(value) < 2**70 or value != value or value in (float("inf"), -float("inf"))
        return isinstance(value, (np.ndarray, np.generic)) and value.size <= 100 and value.ndim < 5

    def assign(self) -> None:
        for _ in range(8):
            text = self.expression()
            value = self.value(text, self.values)
            if value is None and self.rng.random() > 0.01:
                continue
            if value is not None and not self.fits(value):
                continue
            if self.rng.random() < 0.25:
                name = self.variable()
            else:
                self.count += 1
                name = f"v{self.count}"
            if name == "n":
                continue
            self.whole.discard(name)
            self.do(f"{name} = {text}")
            return

    def do(self, text: str) -> None:
        self.lines += text.split("\n")
        self.raised = self.run(text, self.values) is not None

    def store(self) -> None:
        # whether a value without dimensions can be written in place is known of arguments only
        arrays = [
            k for k, v in self.values.items()
            if isinstance(v, np.ndarray) and (v.ndim or k in self.whole) and k != "x"
        ]  # fmt: skip
        if not arrays or not self.ordered:
            return
        for _ in range(5):
            text = self.write_of(self.rng.choice(arrays))
            if self.run(text, copy.deepcopy(self.values)) is None or self.rng.random() < 0.01:
                self.do(text)
                return

    def write_of(self, name: str) -> str:
        sign = self.rng.choice(("=", "=", "=", "+=", "*=", "-="))
        if self.rng.random() < 0.35:
            return f"{name} {sign if sign != '=' else '+='} {self.operand()}"
        place, operand = self.place(), self.operand()
        if sign == "=" and getattr(self.value(place[1:-1], self.values), "dtype", None) == np.bool:
            operand = f"np.copy({operand})"  # under a mask, NumPy reads what it has just overwritten
        return f"{name}{place} {sign} {operand}"

    # Blocks keep the kinds of what they assign

    def block(self) -> None:
        rng = self.rng
        match rng.randrange(4):
            case 0:
                test = self.test()
                if test is None:
                    return
                text = f"if {test}:\n{self.body()}"
                if rng.random() < 0.6:
                    text += f"\nelse:\n{self.body()}"
            case 1:
                text = f"for i in range({rng.choice(('n', 'n', '2'))}):\n{self.body('i')}"
            case 2:
                arrays = [
                    k for k, v in self.values.items() if isinstance(v, np.ndarray) and v.ndim and len(v)
                ]
                if not arrays:
                    return
                text = f"for x in {rng.choice(arrays)}:\n{self.body('x')}"
            case _:
                self.count += 1
                name = f"k{self.count}"
                self.do(f"{name} = 0")
                text = f"while {name} < n:\n{self.body()}\n    {name} = {name} + 1"
        if self.keeps_kinds(text):
            self.whole.clear()
            self.do(text)

    def test(self) -> str | None:
        for _ in range(5):
            x = self.variable()
            text = self.rng.choice((f"{x}.sum() > 0", f"{x} > {self.operand()}", f"{x}[0] < 1", "n > 1",
                                    f"{x}.any()", f"np.all({x} == {x})", "n == 7"))  # fmt: skip
            value = self.value(text, self.values)
            if isinstance(value, (bool, np.bool_)):
                return text
        return None

    def body(self, item: str = "") -> str:
        rng = self.rng
        lines = []
        targets = [k for k in self.values if k != "n" and not k.startswith("k")] or ["n"]
        for _ in range(rng.randint(1, 2)):
            name = rng.choice(targets)
            value = self.values[name]
            if (
                isinstance(value, np.ndarray)
                and value.ndim
                and name != "x"
                and self.ordered
                and rng.random() < 0.4
            ):
                lines.append(self.write_of(name))
                continue
            for _ in range(30):
                text = self.expression()
                if item and rng.random() < 0.3:
                    text = f"{name} {rng.choice('+-*')} {item}"
                made = self.value(text, {**self.values, "i": 1, "x": self.values[name]})
                if _type(made) == _type(value):
                    lines.append(f"{name} = {text}")
                    break
        return "\n".join(f"    {line}" for line in lines or ["pass"])

    def keeps_kinds(self, text: str) -> bool:
        """Return whether a block runs for either outcome of its condition and preserves all types."""
        tries = [text]
        if text.startswith("if "):
            rest = text.partition("\n")[2]
            tries = [f"if {test}:\n{rest}" for test in ("True", "False")]
        elif text.startswith("while "):  # the graph has a body also of a loop that runs no round
            tries.append(text.replace("< n:", "< 2:", 1))
        elif text.startswith("for "):
            tries.append(text.replace("(n)", "(2)", 1))
        before = {k: _type(v) for k, v in self.values.items()}
        for one in tries:
            values = copy.deepcopy(self.values)
            if self.run(one, values) is not None:
                return False
            if any(_type(values[k]) != kind for k, kind in before.items()):
                return False
        return True


def _type(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        return type(value), value.dtype, value.shape
    return type(value)
