"""Arithmetic on numbers, with the results of Python and NumPy."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from .conversions import ConversionEmitter
from .kinds import BOOL, INT, Kind, dtype_kind
from .statuses import UnsupportedError
from .values import Scalar

_COMPARISONS = {
    "lt": ("slt", "ult", "olt"), "le": ("sle", "ule", "ole"), "gt": ("sgt", "ugt", "ogt"),
    "ge": ("sge", "uge", "oge"), "eq": ("eq", "eq", "oeq"), "ne": ("ne", "ne", "une"),
}  # fmt: skip
_WITH_OVERFLOW = {"add": "add", "sub": "sub", "mul": "mul"}
_FLOAT_OPS = {"add": "fadd", "sub": "fsub", "mul": "fmul", "truediv": "fdiv"}
_BITS = {"and_": "and", "or_": "or", "xor": "xor"}


def common_kind(a: Kind, b: Kind) -> Kind:
    """Return the kind to which Python or NumPy converts two operands. Python numbers are weak."""
    if a.is_python and b.is_python:
        return max(a, b, key=lambda k: "bif".index(k.code))
    if a.is_python or b.is_python:
        weak, strong = (a, b) if a.is_python else (b, a)
        if "biuf".index(weak.code) <= "biuf".index(strong.code):
            return strong
        return dtype_kind(np.result_type(strong.dtype, np.int64 if weak.code == "i" else np.float64))
    return dtype_kind(np.result_type(a.dtype, b.dtype))


class ScalarEmitter(ConversionEmitter):
    """Emitter of arithmetic."""

    # --- Operators --------------------------------------------------------------------------------

    def unary(self, op: str, a: Scalar, kind: Kind) -> Scalar:
        w = self.w
        if op == "not_":
            return Scalar(w.op(f"xor i1 {self.truth(a)}, true"), BOOL)
        if op == "invert":
            a = self.convert(a, kind)
            return Scalar(w.op(f"xor {kind.llvm} {a.register}, {'true' if kind.code == 'b' else -1}"), kind)
        a = self.convert(a, kind)
        if op == "pos" or (op == "abs" and kind.code in "bu"):
            return replace(a, constant=None)
        if kind.code == "b":
            raise UnsupportedError(f"{op} of a bool is not compiled")
        if kind.code == "f":
            if op == "neg":
                register = w.op(f"fneg {kind.llvm} {a.register}")
            else:
                register = w.call(kind.llvm, f"llvm.fabs.{_suffix(kind)}", (kind.llvm, a.register))
            self.unsettled.pop(a.register, None)
            value = Scalar(register, kind, a.checks, may_raise=a.may_raise)
            if value.checks:
                self.unsettled[register] = value
            return value
        zero = Scalar("0", kind)
        negative = self._integer("sub", zero, a, kind)
        if op == "neg":
            return negative
        is_negative = w.op(f"icmp slt {kind.llvm} {a.register}, 0")
        return Scalar(
            w.op(f"select i1 {is_negative}, {kind.llvm} {negative.register}, {kind.llvm} {a.register}"), kind
        )

    def binary(self, op: str, a: Scalar, b: Scalar, kind: Kind) -> Scalar:
        """Emit `a op b`, a number of the given kind."""
        if op in _COMPARISONS:
            return Scalar(self.compare(op, a, b), kind)
        if op == "pow":
            return self.power(a, b, kind)
        if op in ("lshift", "rshift"):
            return self._shift(op, self.convert(a, kind), self.convert(b, kind), kind)
        a, b = self.convert(a, kind), self.convert(b, kind)
        if op in _BITS:
            return Scalar(self.w.op(f"{_BITS[op]} {kind.llvm} {a.register}, {b.register}"), kind)
        if kind.code == "b":
            if op in ("add", "mul"):
                return Scalar(
                    self.w.op(f"{'or' if op == 'add' else 'and'} i1 {a.register}, {b.register}"), kind
                )
            raise UnsupportedError(f"{op} of bools is not compiled")
        if kind.code == "f":
            return self._float(op, a, b, kind)
        if op in _WITH_OVERFLOW:
            return self._integer(op, a, b, kind)
        if op in ("floordiv", "mod"):
            return self._divide(op, a, b, kind)
        raise UnsupportedError(f"{op} of integers is not compiled")

    def _integer(self, op: str, a: Scalar, b: Scalar, kind: Kind) -> Scalar:
        w, llvm = self.w, kind.llvm
        if self.in_array:
            return Scalar(w.op(f"{op} {llvm} {a.register}, {b.register}"), kind)
        bounds = _combine(op, a.interval, b.interval)
        low, high = kind.range
        if low <= bounds[0] and bounds[1] <= high:
            # Without `nsw`: an operand may be wrong until a deferred check of its own overflow.
            return Scalar(w.op(f"{op} {llvm} {a.register}, {b.register}"), kind, bounds=bounds)
        name = f"llvm.{'u' if kind.code == 'u' else 's'}{op}.with.overflow.{llvm}"
        pair = w.call(f"{{{llvm}, i1}}", name, (llvm, a.register), (llvm, b.register))
        result = w.op(f"extractvalue {{{llvm}, i1}} {pair}, 0")
        self.bail_later_if(w.op(f"extractvalue {{{llvm}, i1}} {pair}, 1"))
        return Scalar(result, kind, bounds=(max(low, bounds[0]), min(high, bounds[1])))

    def _divide(self, op: str, a: Scalar, b: Scalar, kind: Kind) -> Scalar:
        """Emit floor division or modulo of integers, with the sign of the divisor."""
        w, llvm, divisor = self.w, kind.llvm, b.constant
        x, y = a.register, b.register
        if divisor is not None and divisor > 0 and divisor & (divisor - 1) == 0:
            shift = "lshr" if kind.code == "u" else "ashr"
            text = (
                f"{shift} {llvm} {x}, {divisor.bit_length() - 1}"
                if op == "floordiv"
                else f"and {llvm} {x}, {divisor - 1}"
            )
            low, high = a.interval
            bounds = (0, divisor - 1) if op == "mod" else (low // divisor, high // divisor)
            return Scalar(w.op(text), kind, bounds=bounds)
        if divisor is None and not b.interval[0] > 0:
            self.bail_if(w.op(f"icmp eq {llvm} {y}, 0"))
        elif divisor == 0:
            raise UnsupportedError("it divides by zero")
        if divisor is None:
            self.flush()  # bounds that hold only if nothing overflows must not spare the checks
        if kind.code == "u":
            return Scalar(w.op(f"{'udiv' if op == 'floordiv' else 'urem'} {llvm} {x}, {y}"), kind)
        if divisor in (None, -1) and b.interval[0] < 0 and a.interval[0] == kind.range[0]:
            lowest = w.op(f"icmp eq {llvm} {x}, {kind.range[0]}")
            self.bail_if(w.op(f"and i1 {lowest}, {w.op(f'icmp eq {llvm} {y}, -1')}"))
        remainder = w.op(f"srem {llvm} {x}, {y}")
        if a.interval[0] >= 0 and b.interval[0] > 0:
            if op == "mod":
                return Scalar(remainder, kind, bounds=(0, min(a.interval[1], b.interval[1] - 1)))
            return Scalar(w.op(f"sdiv {llvm} {x}, {y}"), kind, bounds=(0, a.interval[1]))
        mixed = w.op(f"icmp slt {llvm} {w.op(f'xor {llvm} {remainder}, {y}')}, 0")
        adjusts = w.op(f"and i1 {w.op(f'icmp ne {llvm} {remainder}, 0')}, {mixed}")
        if op == "mod":
            added = w.op(f"select i1 {adjusts}, {llvm} {y}, {llvm} 0")
            below = (0, b.interval[1] - 1) if b.interval[0] > 0 else None
            return Scalar(w.op(f"add {llvm} {remainder}, {added}"), kind, bounds=below)
        quotient = w.op(f"sdiv {llvm} {x}, {y}")
        return Scalar(w.op(f"add {llvm} {quotient}, {w.op(f'sext i1 {adjusts} to {llvm}')}"), kind)

    def _float(self, op: str, a: Scalar, b: Scalar, kind: Kind) -> Scalar:
        w, llvm = self.w, kind.llvm
        if not kind.is_python:
            a, b = (self.hidden(v) if _may_raise_flags(v.constant) else v for v in (a, b))
            a = self.hidden(a) if b.constant is not None else a
        if op in ("truediv", "floordiv", "mod"):
            b = self.settle(b)
            is_quiet = (
                self.in_array
                or self.is_fast
                or (not kind.is_python and (self.by_flags or self.ignores_errors))
            )
            if not (op == "truediv" and is_quiet):
                self.bail_if(w.op(f"fcmp oeq {llvm} {b.register}, 0.0"))
        if op in _FLOAT_OPS:
            text = f"{_FLOAT_OPS[op]}{self.float_flags} {llvm} {a.register}, {b.register}"
            return self.checked(w.op(text), kind, (a, b))
        a = self.settle(a)
        if op not in ("floordiv", "mod"):
            raise UnsupportedError(f"{op} of floats is not compiled")
        self.require_finite(a.register, llvm)
        self.require_finite(b.register, llvm)
        result = self.observed(self._float_divmod(op, a.register, b.register, llvm), kind)
        if not (kind.is_python or self.in_array or self.by_flags or self.ignores_errors):
            self.require_finite(result.register, llvm)
        return result

    def _float_divmod(self, op: str, a: str, b: str, llvm: str) -> str:
        """Emit floor division or modulo of finite floats, as Python and NumPy define them.

        A result of zero is not the constant 0.0: LLVM would divide by it in advance, without a flag.
        """
        w, suffix = self.w, "f64" if llvm == "double" else "f32"
        remainder = w.op(f"frem {llvm} {a}, {b}")
        is_zero = w.op(f"fcmp oeq {llvm} {remainder}, 0.0")
        signs = w.op(
            f"xor i1 {w.op(f'fcmp olt {llvm} {b}, 0.0')}, {w.op(f'fcmp olt {llvm} {remainder}, 0.0')}"
        )
        adjusts = w.op(f"and i1 {signs}, {w.op(f'xor i1 {is_zero}, true')}")
        if op == "mod":
            adjusted = w.op(f"fadd {llvm} {remainder}, {b}")
            zero = w.call(llvm, f"llvm.copysign.{suffix}", (llvm, remainder), (llvm, b))
            result = w.op(f"select i1 {adjusts}, {llvm} {adjusted}, {llvm} {remainder}")
            return w.op(f"select i1 {is_zero}, {llvm} {zero}, {llvm} {result}")
        quotient = w.op(f"fdiv {llvm} {w.op(f'fsub {llvm} {a}, {remainder}')}, {b}")
        less = w.op(f"fsub {llvm} {quotient}, 1.0")
        quotient = w.op(f"select i1 {adjusts}, {llvm} {less}, {llvm} {quotient}")
        floor = w.call(llvm, f"llvm.floor.{suffix}", (llvm, quotient))
        is_above = w.op(f"fcmp ogt {llvm} {w.op(f'fsub {llvm} {quotient}, {floor}')}, 0.5")
        rounded = w.op(f"select i1 {is_above}, {llvm} {w.op(f'fadd {llvm} {floor}, 1.0')}, {llvm} {floor}")
        exact = w.op(f"fdiv {llvm} {a}, {b}")
        zero = w.call(llvm, f"llvm.copysign.{suffix}", (llvm, quotient), (llvm, exact))
        is_zero = w.op(f"fcmp oeq {llvm} {quotient}, 0.0")
        return w.op(f"select i1 {is_zero}, {llvm} {zero}, {llvm} {rounded}")

    def _shift(self, op: str, a: Scalar, b: Scalar, kind: Kind) -> Scalar:
        w, llvm = self.w, kind.llvm
        if kind.code not in "iu":
            raise UnsupportedError(f"{op} of bools is not compiled")
        self.bail_if(w.op(f"icmp uge {llvm} {b.register}, {kind.bits}"))
        if op == "rshift":
            shift = "lshr" if kind.code == "u" else "ashr"
            return Scalar(w.op(f"{shift} {llvm} {a.register}, {b.register}"), kind)
        result = w.op(f"shl {llvm} {a.register}, {b.register}")
        if kind.is_python:
            back = w.op(f"ashr {llvm} {result}, {b.register}")
            self.bail_if(w.op(f"icmp ne {llvm} {back}, {a.register}"))
        return Scalar(result, kind)

    def power(self, a: Scalar, b: Scalar, kind: Kind) -> Scalar:
        if kind.code in "iu":
            exponent = b.constant
            if type(exponent) is not int or not 0 <= exponent <= 64:
                raise UnsupportedError("only powers with a small constant exponent are compiled for integers")
            base, result = self.convert(a, kind), self.constant(1, kind)
            while exponent:
                if exponent & 1:
                    result = base if result.constant == 1 else self._integer("mul", result, base, kind)
                exponent >>= 1
                if exponent:
                    base = self._integer("mul", base, base, kind)
            return result
        if kind.llvm != "double" or self.in_array:
            raise UnsupportedError("this power is not compiled")
        a, b = self.settled(self.convert(a, kind), self.convert(b, kind))
        power = self.w.external("double", "autograph_pow", ("double", a.register), ("double", b.register))
        if kind.is_python or not (self.by_flags or self.ignores_errors):
            self.require_finite(power, "double")
        return Scalar(power, kind)

    def compare(self, op: str, a: Scalar, b: Scalar) -> str:
        """Emit a comparison, and return its i1."""
        a, b = (self.need(v) for v in self.settled(a, b))
        kind = self.comparison_kind(a, b)
        a, b = self.settled(self.convert(a, kind), self.convert(b, kind))
        signed, unsigned, ordered = _COMPARISONS[op]
        if kind.code == "f":
            return self.w.op(f"fcmp {ordered} {kind.llvm} {a.register}, {b.register}")
        predicate = signed if kind.code == "i" else unsigned
        return self.w.op(f"icmp {predicate} {kind.llvm} {a.register}, {b.register}")

    @staticmethod
    def comparison_kind(a: Scalar, b: Scalar) -> Kind:
        kinds = a.kind, b.kind
        if any(k.code == "f" for k in kinds):
            return common_kind(*kinds)
        if a.kind == b.kind:
            return a.kind
        if any(k.code == "u" and k.bits == 64 for k in kinds):
            raise UnsupportedError("uint64 is compared with another type")
        return INT

    def choose(self, condition: str, a: Scalar, b: Scalar, kind: Kind) -> Scalar:
        values = self.settled(self.convert(a, kind), self.convert(b, kind))
        a, b = (self.hidden(self.need(v)) for v in values)
        llvm = kind.llvm
        bounds = union((a, b)) if kind.code in "iu" else None
        text = f"select i1 {condition}, {llvm} {a.register}, {llvm} {b.register}"
        return Scalar(self.w.op(text), kind, bounds=bounds)


def _may_raise_flags(constant: Any) -> bool:
    """Return whether an operation on a constant and a small number may raise flags."""
    return constant is not None and not 2.0**-64 < abs(constant) < 2.0**64


def union(values: Iterable[Scalar]) -> tuple[int, int]:
    """Return bounds for a number that is one of several."""
    intervals = [v.interval for v in values]
    return min(low for low, _ in intervals), max(high for _, high in intervals)


def _combine(op: str, a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    """Return bounds for the result of an operation."""
    if op == "add":
        return a[0] + b[0], a[1] + b[1]
    if op == "sub":
        return a[0] - b[1], a[1] - b[0]
    products = [x * y for x in a for y in b]
    return min(products), max(products)


def _suffix(kind: Kind) -> str:
    return "f64" if kind.llvm == "double" else "f32"
