"""A `pdb` that shows a converted function as the single function that the user wrote.

A converted function runs its branches and loop bodies in closures, which operators call. Python's own `pdb`
shows each of their frames. This debugger treats a function and its closures as one frame: `next` goes to the
function's next line, whichever frame runs it; `where`, `up` and `down` show the user's frames; every variable
of the function is available, and variables added by the conversion are hidden.

    PYTHONBREAKPOINT=autograph_rs.debugging.set_trace python script.py
    python -m autograph_rs.debugging script.py
    python -m pytest --pdbcls=autograph_rs.debugging:Pdb
"""

from __future__ import annotations

import ctypes
import dis
import functools
import linecache
import pdb  # noqa: T100 - this module extends it
import sys
import types
from collections.abc import Iterator, MutableMapping
from typing import Any

from autograph_rs.runtime.core.packages import is_library
from autograph_rs.runtime.debugging.frames import function_frame, skip_internal_frames
from autograph_rs.runtime.debugging.tracebacks import is_internal

from .source.code_objects import walk_code
from .source.definitions import OPERATORS

_LOCALS_ARE_COPIED = sys.version_info < (3, 13)  # changes to `f_locals` must be written back


class Pdb(pdb.Pdb):
    """Python's debugger, adapted to converted code. Its parameters are those of `pdb.Pdb`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._lines: dict[types.FrameType, int] = {}  # the latest line of each running function
        self._raised: tuple[types.FrameType, BaseException] | None = None
        super().__init__(*args, **kwargs)

    def stop_here(self, frame: types.FrameType) -> bool:
        """Return whether to stop at an event; a closure stops where its function would."""
        if frame is not self.stopframe and function_frame(frame) is self.stopframe:
            return self.stoplineno != -1 and frame.f_lineno >= self.stoplineno
        return super().stop_here(frame) and not _is_internal_call(frame)

    def _set_stopinfo(self, stopframe: Any, returnframe: Any, *args: Any, **kwargs: Any) -> None:
        frames = (frame and function_frame(frame) for frame in (stopframe, returnframe))
        super()._set_stopinfo(*frames, *args, **kwargs)  # type: ignore[misc]

    def set_return(self, frame: types.FrameType) -> None:
        super().set_return(function_frame(frame))

    def dispatch_line(self, frame: types.FrameType) -> Any:
        """Stop at a line, but not again for closures that compute a test or an operand on it."""
        function = function_frame(frame)
        is_same_line = function is not frame and self._lines.get(function) == frame.f_lineno
        self._lines[function] = frame.f_lineno
        if is_same_line and _returns_value(frame.f_code):
            return self.trace_dispatch
        return super().dispatch_line(frame)

    def dispatch_return(self, frame: types.FrameType, arg: Any) -> Any:
        self._lines.pop(frame, None)
        return super().dispatch_return(frame, arg)

    def user_call(self, frame: types.FrameType, argument_list: Any) -> None:
        if function_frame(frame) is frame:
            super().user_call(frame, argument_list)

    def user_return(self, frame: types.FrameType, return_value: Any) -> None:
        """Stop at the return of a function, and trace the user's frame that called it."""
        if function_frame(frame) is frame:
            caller = frame.f_back and skip_internal_frames(frame.f_back)
            if caller and not caller.f_trace:
                caller.f_trace = self.trace_dispatch
            super().user_return(frame, return_value)

    def user_exception(self, frame: types.FrameType, exc_info: Any) -> None:
        """Stop at an exception, once in each function that it passes through."""
        raised = function_frame(frame), exc_info[1]
        if self._raised != raised:
            self._raised = raised
            super().user_exception(frame, exc_info)

    def get_stack(self, f: types.FrameType | None, t: types.TracebackType | None) -> Any:
        """Return the stack with one entry per function: its own frame, or that of its innermost closure."""
        stack, index = super().get_stack(f, t)
        shown: list[tuple[types.FrameType, int]] = []
        current = 0
        for number, (frame, line) in enumerate(stack):
            if is_internal(frame.f_code):
                continue
            function = function_frame(frame)
            is_closure = function is not frame
            same = [n for n, (other, _) in enumerate(shown) if function_frame(other) is function]
            if is_closure and same:
                del shown[same[0] :]
            is_operand = is_closure and frame.f_code.co_name == "<lambda>"
            shown.append((function if is_operand else frame, line))
            if number <= index:
                current = len(shown) - 1
        return shown, current

    @property
    def curframe_locals(self) -> Any:
        """The variables of the current function."""
        return Variables(self.curframe) if self.curframe else None

    @curframe_locals.setter
    def curframe_locals(self, value: Any) -> None:
        """Ignore assignments; the variables are always those of the current frame."""

    def do_args(self, arg: str) -> bool | None:
        frame = self.curframe
        assert frame is not None
        self.curframe = function_frame(frame)
        try:
            return super().do_args(arg)
        finally:
            self.curframe = frame

    do_a = do_args

    def _getsourcelines(self, obj: Any) -> Any:
        target = function_frame(obj) if isinstance(obj, types.FrameType) else obj
        return super()._getsourcelines(target)  # type: ignore[misc]


def _is_internal_call(frame: types.FrameType | None) -> bool:
    """Return whether a frame runs internal code, or library code called by it or by garbage collection."""
    if frame is not None and frame.f_globals.get("__name__") == "weakref":
        return True
    while frame is not None and not is_internal(frame.f_code):
        file, module = frame.f_code.co_filename, frame.f_globals.get("__name__") or ""
        if not is_library(file) and not (file == "<string>" and module.startswith("autograph_rs.")):
            return False
        frame = frame.f_back
    return frame is not None


class Variables(MutableMapping[str, Any]):
    """The variables of a running function, all accessible from each of its closures.

    >>> Variables(sys._getframe())["__name__"]
    'autograph_rs.debugging'
    """

    def __init__(self, frame: types.FrameType):
        self._frame, self._function = frame, function_frame(frame)
        self._hidden = added_names(self._function.f_code)
        if frame is not self._function and frame.f_code.co_name != "<lambda>":
            self._hidden |= set(frame.f_code.co_varnames)  # its local variables are not the user's

    def __getitem__(self, name: str) -> Any:
        if name in self._hidden:
            raise KeyError(name)
        own = self._frame.f_locals
        return own[name] if name in own else self._function.f_locals[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self._function.f_locals[name] = value
        self._write_back()

    def __delitem__(self, name: str) -> None:
        del self._function.f_locals[name]
        self._write_back(1)

    def __iter__(self) -> Iterator[str]:
        return (
            name for name in {**self._function.f_locals, **self._frame.f_locals} if name not in self._hidden
        )

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return repr(dict(self))

    def __ror__(self, other: dict[str, Any]) -> dict[str, Any]:
        return other | dict(self)

    def _write_back(self, clear: int = 0) -> None:
        if _LOCALS_ARE_COPIED:
            ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(self._function), ctypes.c_int(clear))
            _ = self._frame.f_locals  # refresh the copy, which the debugger writes back later


@functools.lru_cache
def added_names(code: types.CodeType) -> frozenset[str]:
    """Return the names of the variables that the conversion added to a function."""
    own = {*code.co_varnames, *code.co_cellvars, *code.co_freevars}
    if OPERATORS not in own | set(code.co_names):
        return frozenset()
    try:
        module = compile("".join(linecache.getlines(code.co_filename)), code.co_filename, "exec")
    except (SyntaxError, ValueError):
        return frozenset((OPERATORS,))
    key = code.co_firstlineno, code.co_qualname
    originals = [c for c in walk_code(module) if (c.co_firstlineno, c.co_qualname) == key]
    names = {name for c in originals for name in (*c.co_varnames, *c.co_cellvars, *c.co_freevars)}
    return frozenset(own - names if originals else (OPERATORS,))


@functools.lru_cache
def _returns_value(code: types.CodeType) -> bool:
    """Return whether a closure returns a value. Tests and operands do; bodies do not."""
    *_, before, last = dis.get_instructions(code)
    returned = last if last.opname == "RETURN_CONST" else before
    return not (returned.opname.endswith("CONST") and returned.argval is None)


def set_trace(*, header: str | None = None) -> None:
    """Print `header`, if given, and start the debugger in the user function that calls this one.

    If `PYTHONBREAKPOINT` is `autograph_rs.debugging.set_trace`, `breakpoint()` calls this function.
    """
    debugger = Pdb()
    if header is not None:
        debugger.message(header)
    debugger.set_trace(skip_internal_frames(sys._getframe(1)))


def main() -> None:
    """Run a script under the debugger, with the command line of `python -m pdb`."""
    pdb.Pdb = Pdb  # type: ignore[misc]  # used by `pdb.main` and by `pdb.set_trace()` in the script
    pdb.main()


if __name__ == "__main__":
    from autograph_rs import debugging  # noqa: PLW0406 - `pdb` clears the module `__main__` for the script

    debugging.main()
