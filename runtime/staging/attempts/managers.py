"""Context managers that see what is raised under a staged condition in their `with`.

Each is entered once. Its `__exit__` is called at the end of the block, and again for each exception. A
generator has ended by then, and begins again for the exception if that has no other effect.
"""

from __future__ import annotations

import contextlib
import dis
import inspect
import itertools
import types
from typing import Any

from ...core.closures import arguments_in, holds
from ...core.packages import is_library
from ...core.traces import current_trace
from ...debugging.positions import catches_exceptions
from ...errors import RaiseInTryError
from ..state.heap import is_of_user

_GENERATOR: Any = type(contextlib.contextmanager(lambda: iter(()))())


class Entered:
    """A context manager, and what its `__enter__` returned."""

    def __init__(self, made: Any):
        self.made, self.kind = made, type(made)
        self.value: Any = None
        self.function = _converted_generator(made) if isinstance(made, _GENERATOR) else None
        """The function of a generator, which `contextlib` drops when it enters."""
        self.locals: dict[str, Any] = {}
        """The variables of a generator before it ended."""

    def __enter__(self) -> Any:
        self.value = self.kind.__enter__(self.made)
        return self.value

    def __exit__(self, *exception: object) -> Any:
        self._keep_locals()
        return self.kind.__exit__(self.made, *exception)

    def exit_again(self, *exception: object) -> Any:
        if self.function is None:
            return self.kind.__exit__(self.made, *exception)
        args, kwargs = arguments_in(self.function.__code__, self.locals)
        made = self.kind(self.function, args, kwargs)
        made.__enter__()
        return made.__exit__(*exception)

    def _keep_locals(self) -> None:
        if self.function is not None and (frame := self.made.gen.gi_frame) is not None:
            self.locals = dict(frame.f_locals)

    @property
    def held(self) -> list[Any]:
        """What a generator may change: what its variables hold, and its function."""
        self._keep_locals()
        return [] if self.function is None else [self.function, *self.locals.values()]

    @property
    def exits_once(self) -> bool:
        """Whether `__exit__` cannot be called again."""
        if isinstance(self.made, _GENERATOR):
            return self.function is None or not _begins_with_nothing(self.function.__code__)
        return isinstance(self.made, contextlib.ExitStack)

    @property
    def code(self) -> types.CodeType | None:
        """The code of the user's own `__exit__`, or of the user's generator, else None."""
        if isinstance(self.made, _GENERATOR):
            return self.made.gen.gi_code
        code = getattr(inspect.unwrap(getattr(self.kind, "__exit__", None)), "__code__", None)  # type: ignore[arg-type]
        return None if code is None or is_library(code.co_filename) else code

    def names(self, kind: type[BaseException]) -> bool:
        """Return whether the manager may suppress an exception of some class."""
        if isinstance(self.made, contextlib.suppress):
            return bool(self.made._exceptions) and issubclass(kind, self.made._exceptions)  # type: ignore[attr-defined] # noqa: SLF001
        code = self.code
        if code is None:
            return False
        if isinstance(self.made, _GENERATOR):
            return catches_exceptions(code)
        return not _returns_nothing(code)

    def may_catch_others(self) -> bool:
        """Return whether the manager may suppress exceptions that are not of the user's own classes."""
        if isinstance(self.made, contextlib.suppress):
            return not all(map(is_of_user, self.made._exceptions))  # type: ignore[attr-defined] # noqa: SLF001
        if self.code is None:
            root = self.kind.__module__.partition(".")[0]
            return root not in _NEVER_CATCHING and self.kind is not contextlib.nullcontext
        return self.names(Exception)

    def sees(self, error: BaseException, *, is_seen: bool) -> bool:
        """Return whether the manager has to see an exception. `is_seen` is whether an outer `try` may."""
        if isinstance(self.made, contextlib.suppress):
            return self.names(type(error))
        if not self.exits_once:
            return self.code is not None
        if is_seen or isinstance(self.made, contextlib.ExitStack) or self.names(type(error)):
            raise RaiseInTryError(
                f"{type(error).__name__} is raised under a staged condition inside a 'with', whose context "
                f"manager is {_described(self.made)}",
                why="its exit is traced for the path that raises and for the path that does not, but it can "
                "run only once",
                remedy="use a class with __enter__ and __exit__, or a 'try' in the function",
            ) from error
        return False


_NEVER_CATCHING = frozenset(("_thread", "decimal", "numpy", "threading", "warnings"))
"""Libraries whose context managers let all exceptions pass."""


def _converted_generator(made: Any) -> types.FunctionType | None:
    """Let a context manager run the converted form of its generator, and return the function of that.

    Return None if it is not known how the generator was created.
    """
    trace = current_trace()
    is_plain = type(made) is _GENERATOR and type(made.func) is types.FunctionType
    if not is_plain or made.func.__code__ is not made.gen.gi_code:
        return None
    if trace is not None:
        made.func = trace.namespace.callee(made.func)
        made.gen = made.func(*made.args, **made.kwds)
    return made.func if getattr(made.func, "__code__", None) is made.gen.gi_code else None


def _described(made: Any) -> str:
    is_generator = isinstance(made, _GENERATOR)
    return f"the generator {made.gen.__name__}()" if is_generator else f"a {type(made).__name__}"


def _begins_with_nothing(code: types.CodeType) -> bool:
    """Return whether a generator only reads its variables before its first `yield`."""
    inner = (c for c in code.co_consts if isinstance(c, types.CodeType))
    staged_form = next((c for c in inner if holds(code, c)), code)
    before = itertools.takewhile(lambda i: i.opname != "YIELD_VALUE", dis.get_instructions(staged_form))
    return all(i.opname in _READS or i.opname.startswith("LOAD_FAST") for i in before)


_READS = frozenset((
    "COPY_FREE_VARS", "EXTENDED_ARG", "LOAD_CONST", "LOAD_SMALL_INT", "MAKE_CELL", "NOP", "NOT_TAKEN",
    "POP_TOP", "RESUME", "RETURN_GENERATOR",
))  # fmt: skip


def _returns_nothing(code: types.CodeType) -> bool:
    """Return whether a function returns only None and False."""
    previous: dis.Instruction | None = None
    for instruction in dis.get_instructions(code):
        if instruction.opname == "RETURN_CONST" and instruction.argval:
            return False
        if instruction.opname == "RETURN_VALUE":
            is_constant = previous is not None and previous.opname in ("LOAD_CONST", "LOAD_COMMON_CONSTANT")
            if not is_constant or previous.argval:  # type: ignore[union-attr]
                return False
        previous = instruction
    return True


class Again:
    """A context manager that has been entered before."""

    def __init__(self, entered: Entered):
        self.entered = entered

    def __enter__(self) -> Any:
        return self.entered.value

    def __exit__(self, *exception: object) -> Any:
        is_seen = self.entered.code is not None or isinstance(self.entered.made, contextlib.suppress)
        return self.entered.exit_again(*exception) if is_seen else None
