"""Conversions of numbers. Those that lose values in a way that NumPy or Python reports bail out."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from .checks import CheckEmitter
from .kinds import Kind
from .statuses import UnsupportedError
from .values import Scalar

_EXACT_INT = 2**53  # larger integers may not be floats


class ConversionEmitter(CheckEmitter):
    """Emitter of conversions."""

    def convert(self, value: Scalar, kind: Kind) -> Scalar:
        """Convert a number. Bail out where NumPy or Python would warn, raise or lose information."""
        source = value.kind
        if source.llvm == kind.llvm and source.code == kind.code:
            return replace(value, kind=kind)
        if value.constant is not None and (kind.code == "f" or source.code != "f"):
            if kind.code == "f" and source.code == "i" and abs(value.constant) > _EXACT_INT:
                raise UnsupportedError("an integer constant is too large for a float")
            if not _overflows(value.constant, kind):
                return self.constant(value.constant, kind)
            value = self.hidden(value)
        w, register = self.w, value.register
        if kind.code == "b":
            return Scalar(self.truth(value), kind)
        if source.code == "b" and kind.code == "f":
            one, zero = (self.hidden(self.constant(v, kind)).register for v in (1, 0))
            return Scalar(w.op(f"select i1 {register}, {kind.llvm} {one}, {kind.llvm} {zero}"), kind)
        if source.code == "b":
            return Scalar(w.op(f"zext i1 {register} to {kind.llvm}"), kind)
        if kind.code == "f":
            if source.code == "f":
                self.settle(value)
                if kind.bits > source.bits:
                    wide = w.op(f"fpext float {register} to double")
                    return Scalar(wide, kind, may_raise=value.may_raise)
                narrow = self.observed(w.op(f"fptrunc double {register} to float"), kind)
                if not (self.in_array or self.by_flags):
                    self._bail_if_overflow(register, narrow.register)
                return narrow
            if source.is_python and kind.is_python:
                self._require_exact(register)
            op = "uitofp" if source.code == "u" else "sitofp"
            if not self.in_array and source.llvm == "i64":
                # LLVM may find out that an integer is constant, and operations that it folds raise no flags
                register = w.op(f'call i64 asm "", "=r,0"(i64 {register})')
            if (
                source.is_python and kind.llvm == "float"
            ):  # NumPy rounds twice: a Python int becomes a double first
                double = w.op(f"{op} {source.llvm} {register} to double")
                return Scalar(w.op(f"fptrunc double {double} to float"), kind)
            return Scalar(w.op(f"{op} {source.llvm} {register} to {kind.llvm}"), kind)
        if source.code == "f":
            return self._float_to_int(self.settle(value), kind)
        return self._resize(value, kind)

    def _bail_if_overflow(self, wide: str, narrow: str) -> None:
        w = self.w
        was_finite = w.op(f"fcmp ord double {w.op(f'fsub double {wide}, {wide}')}, 0.0")
        is_special = w.op(f"fcmp uno float {w.op(f'fsub float {narrow}, {narrow}')}, 0.0")
        self.bail_if(w.op(f"and i1 {was_finite}, {is_special}"))

    def _require_exact(self, register: str) -> None:
        shifted = self.w.op(f"add i64 {register}, {_EXACT_INT}")
        self.bail_if(self.w.op(f"icmp ugt i64 {shifted}, {2 * _EXACT_INT}"))

    def _float_to_int(self, value: Scalar, kind: Kind) -> Scalar:
        w, llvm = self.w, self.need(value).kind.llvm
        low, high = kind.range
        above = w.op(f"fcmp oge {llvm} {value.register}, {value.kind.constant(low)}")
        below = w.op(f"fcmp olt {llvm} {value.register}, {value.kind.constant(high + 1)}")
        self.bail_if(w.op(f"xor i1 {w.op(f'and i1 {above}, {below}')}, true"))
        op = "fptoui" if kind.code == "u" else "fptosi"
        return Scalar(w.op(f"{op} {llvm} {value.register} to {kind.llvm}"), kind)

    def _resize(self, value: Scalar, kind: Kind) -> Scalar:
        """Convert an integer to another width, and bail out if it does not fit."""
        w, source, register = self.w, value.kind, value.register
        if kind.bits > source.bits:
            if source.code == "i" and kind.code == "u":
                self.bail_if(w.op(f"icmp slt {source.llvm} {register}, 0"))
            op = "sext" if source.code == "i" else "zext"
            return Scalar(w.op(f"{op} {source.llvm} {register} to {kind.llvm}"), kind, bounds=value.interval)
        if kind.bits == source.bits:
            self.bail_if(w.op(f"icmp slt {source.llvm} {register}, 0"))
            return Scalar(register, kind)
        narrow = w.op(f"trunc {source.llvm} {register} to {kind.llvm}")
        if source.code == "u":
            self.bail_if(w.op(f"icmp ugt {source.llvm} {register}, {kind.range[1]}"))
            return Scalar(narrow, kind)
        op = "sext" if kind.code == "i" else "zext"
        wide = w.op(f"{op} {kind.llvm} {narrow} to {source.llvm}")
        self.bail_if(w.op(f"icmp ne {source.llvm} {wide}, {register}"))
        return Scalar(narrow, kind)

    def truth(self, value: Scalar) -> str:
        """Emit whether a number is true."""
        value = self.need(self.settle(value))
        kind, register = value.kind, value.register
        if kind.code == "b":
            return register
        if kind.code == "f":
            return self.w.op(f"fcmp une {kind.llvm} {register}, 0.0")
        return self.w.op(f"icmp ne {kind.llvm} {register}, 0")


def _overflows(constant: Any, kind: Kind) -> bool:
    """Return whether a finite constant becomes infinite."""
    return kind.llvm == "float" and abs(constant) < math.inf and "7FF" in kind.constant(abs(constant))[:5]
