"""Where numbers in machine code are not those of Python and NumPy: it gives up, or tells of a warning.

Whatever machine code does not reproduce leaves it through `bail_if`: integers that overflow, divisions by
zero, casts that lose values. NumPy warns where the processor raises a flag for floats. A region is
compiled in one of two ways. `by_flags`, the flags are tested when the region ends; if one is raised, the
region runs again, compiled the other way. Then each chain of operations is tested for infinity and NaN at
its last value, to which they pass on from the operation that gave them; see `settle`. In the third way,
`FAST`, floats never warn, and LLVM may reorder their operations.
In the loops of array operations (`in_array`), integers wrap, and the caller tests the flags.
"""

from __future__ import annotations

import platform
from dataclasses import replace
from typing import Any

from .kinds import Kind
from .statuses import Mode
from .values import Check, Scalar
from .writer import UNLIKELY, Writer

_MAX_CHECKS = 12


_FAST_FLAGS = " reassoc nsz arcp contract afn"


class CheckEmitter:
    """Emitter of bailouts and of the checks for warnings."""

    in_array = False
    ignores_errors = False
    """Whether the current node ignores floating-point errors, by `np.errstate`."""
    flags = 13 if platform.machine() in ("x86_64", "AMD64") else 7
    """The mask of invalid operations, divisions by zero and overflows in the flags of C's `fenv.h`."""

    def __init__(self, mode: Mode) -> None:
        self.by_flags = mode is not Mode.CHECKS
        self.is_fast = mode is Mode.FAST
        self.tests_flags = mode is Mode.FLAGS
        self.float_flags = _FAST_FLAGS if self.is_fast else ""
        self.w = Writer()
        self.unsettled: dict[str, Scalar] = {}
        self._hidden: dict[tuple[str, str], str] = {}
        self._kept: dict[str, str] = {}
        """The places of sums of bits, by their types. The tests of the flags read them."""
        self._wanted: dict[str, Kind] = {}
        """Floats of array operations whose use LLVM may know, until the end of the element."""
        self._used: set[str] = set()
        """Floats from which others are computed."""
        self.recent: list[list[tuple[str, str]]] = [[]]
        """Results of float operations, by graph, since flags were last tested before others are cleared."""

    def bail_if(self, condition: str) -> None:
        """Leave machine code if a condition holds, and go on in NumPy from the last checkpoint."""
        raise NotImplementedError

    def bail_later_if(self, condition: str) -> None:
        """Leave machine code before the next effect if a condition holds.

        One branch serves several conditions.
        """
        raise NotImplementedError

    def current_checkpoint(self) -> Any:
        """Return the checkpoint from which NumPy goes on. A later one would miss operations."""
        raise NotImplementedError

    def flush(self) -> None:
        """Emit the deferred checks. The bounds of integers hold from then on."""
        raise NotImplementedError

    def constant(self, value: Any, kind: Kind) -> Scalar:
        bounds = (int(value), int(value)) if kind.code in "iu" else None
        return Scalar(kind.constant(value), kind, constant=value, bounds=bounds)

    def hidden(self, value: Scalar) -> Scalar:
        """Return a number that LLVM does not know to be constant: operations that it folds raise no flags."""
        if value.constant is None or value.kind.code != "f":
            return value
        key = value.kind.llvm, value.register
        if key not in self._hidden:
            place = self.w.alloca(value.kind.llvm)
            self._hidden[key] = "%" + self.w.fresh("k")
            self.w.allocas += [
                f"  store volatile {value.kind.llvm} {value.register}, ptr {place}",
                f"  {self._hidden[key]} = load volatile {value.kind.llvm}, ptr {place}",
            ]
        return replace(value, register=self._hidden[key], constant=None)

    # --- Warnings ---------------------------------------------------------------------------------

    def checked(self, result: str, kind: Kind, operands: tuple[Scalar, ...]) -> Scalar:
        """Return the float result of an operation that passes infinity and NaN on."""
        for operand in operands:
            self._used.add(operand.register)
        if kind.is_python or self.in_array or self.ignores_errors or self.by_flags:
            return Scalar(result, kind) if kind.is_python else self.observed(result, kind)
        self.current_checkpoint()
        checks = frozenset().union(*(o.checks for o in operands))
        for operand in operands:
            self.unsettled.pop(operand.register, None)
        check = Check(result, tuple(o.register for o in operands), kind.llvm)
        value = Scalar(result, kind, checks | {check})
        if len(value.checks) > _MAX_CHECKS:
            return self.settle(value)
        self.unsettled[result] = value
        return value

    def settle(self, value: Scalar) -> Scalar:
        """Bail out if an operation that a value depends on warns."""
        self.unsettled.pop(value.register, None)
        if not value.checks:
            return value
        w, llvm = self.w, value.kind.llvm
        is_special = self.is_special(value.register, llvm)
        cold, following = w.fresh("special"), w.fresh("b")
        w.line(f"br i1 {is_special}, label %{cold}, label %{following}{UNLIKELY}")
        lines, w.lines = w.lines, []
        w.label(cold)
        warns = "false"
        for check in value.checks:
            warns = w.either(warns, self._warns(check))
        self.bail_if(warns)
        w.jump(following)
        w.cold += w.lines
        w.lines = lines
        w.label(following)
        return replace(value, checks=frozenset())

    def _warns(self, check: Check) -> str:
        """Emit whether an operation gives NaN from numbers, or infinity from finite numbers."""
        w, llvm = self.w, check.llvm
        is_nan = w.op(f"fcmp uno {llvm} {check.result}, {check.result}")
        is_special = self.is_special(check.result, llvm)
        has_nan, has_special = "false", "false"
        for operand in check.operands:
            has_nan = w.either(has_nan, w.op(f"fcmp uno {llvm} {operand}, {operand}"))
            has_special = w.either(has_special, self.is_special(operand, llvm))
        invalid = w.op(f"select i1 {has_nan}, i1 false, i1 {is_nan}")
        overflow = w.op(f"select i1 {has_special}, i1 false, i1 {is_special}")
        return w.either(invalid, overflow)

    def settle_all(self) -> None:
        for value in list(self.unsettled.values()):
            self.settle(value)

    def settled(self, *values: Scalar) -> list[Scalar]:
        return [self.settle(v) for v in values]

    is_needed = True
    """Whether the current node's value is needed on each path, so that LLVM can neither move nor drop it."""

    def observed(self, register: str, kind: Kind) -> Scalar:
        """Return the result of a float operation whose flags are tested later."""
        if self.in_array:
            return Scalar(register, kind, may_raise=not (self.is_fast or self.ignores_errors))
        if self.tests_flags:
            if not self.is_needed:
                self.keep(register, kind)
            self.recent[-1].append((register, kind.llvm))
        return Scalar(register, kind)

    def need(self, value: Scalar) -> Scalar:
        """Have a float of an array operation computed though LLVM may know the result of its use."""
        if value.may_raise:
            self._wanted[value.register] = value.kind
        return value

    def end_element(self) -> None:
        """Keep the floats of an element of arrays that are needed, unless others are computed from them."""
        for register, kind in self._wanted.items():
            if register not in self._used:
                self.keep(register, kind)
        self._wanted, self._used = {}, set()

    def keep(self, register: str, kind: Kind) -> None:
        """Add the bits of a float to a sum, which needs all of them. LLVM can vectorize loops with sums."""
        w, integer = self.w, f"i{8 * kind.size}"
        if integer not in self._kept:
            self._kept[integer] = w.alloca(integer)
            w.allocas.append(f"  store {integer} 0, ptr {self._kept[integer]}")
        place = self._kept[integer]
        before = w.op(f"load {integer}, ptr {place}")
        bits = w.op(f"bitcast {kind.llvm} {register} to {integer}")
        w.line(f"store {integer} {w.op(f'or {integer} {before}, {bits}')}, ptr {place}")

    def pin(self, register: str, llvm: str) -> None:
        """Have a number computed here at the latest."""
        self.w.line(f"store volatile {llvm} {register}, ptr {self.w.alloca(llvm)}")

    def clear_flags(self) -> None:
        if not self.by_flags and not self.ignores_errors:
            self.w.external("i32", "feclearexcept", ("i32", str(self.flags)))

    def keep_flags(self) -> None:
        """Emit code that notices the flags raised so far before others are cleared."""
        raise NotImplementedError

    def test_flags(self) -> None:
        """Bail out if an array operation since `clear_flags` warns."""
        if not self.by_flags and not self.ignores_errors:
            self.bail_if(self.raised_flags())

    def raised_flags(self) -> str:
        for integer, place in self._kept.items():
            self.pin(self.w.op(f"load {integer}, ptr {place}"), integer)
        raised = self.w.external("i32", "fetestexcept", ("i32", str(self.flags)))
        return self.w.op(f"icmp ne i32 {raised}, 0")

    def is_special(self, value: str, llvm: str) -> str:
        """Emit whether a float is infinity or NaN."""
        difference = self.w.op(f"fsub {llvm} {value}, {value}")
        return self.w.op(f"fcmp uno {llvm} {difference}, {difference}")

    def require_finite(self, value: str, llvm: str) -> None:
        self.bail_if(self.is_special(value, llvm))
