"""Stage `try` and `with`: what their bodies raise under a staged condition arrives at their handlers.

    try:                                  number = 0
        if x < 0:                         if x < 0: number = 1
            raise ValueError("negative")  if number == 0:
        y = np.sqrt(x)                        y = np.sqrt(x)
    except ValueError:                    if number == 1:
        y = 0.0                               y = 0.0

The statement runs once for its body. From the first staged condition on that decides whether something is
raised, the rest of the body is recorded as a branch. Then, for each exception that was raised, the statement
runs again as a branch for its number, and raises it where the body begins: Python selects the handler.
"""

from __future__ import annotations

import dis
import functools
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from ...backends import staged_by
from ...core.closures import cells_of
from ...core.in_flight import MAX_RESTS, InFlight
from ...core.rolling_attempts import is_rolling, refuse_rolling
from ...debugging.positions import position_at
from ...debugging.tracebacks import is_internal, synthetic_traceback, traceback_frames
from ...errors import AutographError, RaiseInTryError
from ...values.locations import Variable
from ...values.structures import flatten, unflatten
from ..branches.exceptions import AlwaysRaises, fields_of, is_of_plain_values, is_own_raise, refuse_caught
from ..state.search import user_frames
from ..state.statement import Statement
from .managers import Again, Entered
from .rests import Region, Rest


class Attempt:
    """A `try` or `with` that is being staged."""

    def __init__(self, body: Any, kinds: Callable[[], tuple], caught: Sequence[str], get_state: Any):
        self.body = body
        self.code: types.CodeType = body.__code__
        self.is_own = is_internal(self.code) and "ag__" not in self.code.co_freevars
        """Whether this package has written the statement itself, on behalf of a loop or a builtin."""
        self.kinds = kinds
        cells = {**cells_of(get_state), **cells_of(body)}
        self.caught = {id(cells[name]) for name in caught if name in cells}
        self.entered: list[Entered] = []
        """The context managers of a `with`, in order."""
        self.is_left_by_error = False
        """Whether an exception has left the statement where none of its conditions raises."""

    def is_running(self, frame: types.FrameType) -> bool:
        if frame.f_code is not self.code:
            return False
        return any(start <= frame.f_lasti < end for start, end in _protected_ranges(self.code))

    def names(self, kind: type[BaseException]) -> bool:
        """Return whether a handler names an exception class, or a context manager may suppress it."""
        kinds = [k for k in flatten(self.kinds())[0] if isinstance(k, type)]
        return issubclass(kind, tuple(kinds)) or any(entered.names(kind) for entered in self.entered)

    def catches(self, error: BaseException, *, is_seen: bool) -> bool:
        """Return whether the statement may see an exception. `is_seen` is whether an outer one may."""
        return not self.entered or any(entered.sees(error, is_seen=is_seen) for entered in self.entered)


class ErrorText(NamedTuple):
    """The text of an operation's error, written where it arrives, so that loops carry only its numbers."""

    write: Callable[..., Any]
    values: tuple[Any, ...]


class Raised:
    """An exception that the traced code raises: `values` are its arguments and fields."""

    def __init__(self, error: BaseException, number: int, attempt: Attempt, site: tuple):
        self.error, self.number, self.attempt, self.site = error, number, attempt, site
        self.traceback = error.__traceback__
        frames = [(code, instruction) for code, instruction in reversed(site) if not is_internal(code)]
        self.user_frames = [] if traceback_frames(error) else frames
        """Where it was raised on behalf of user code."""
        self.leaves, self.spec = flatten((error.args, fields_of(error)))
        self.names = {
            i: f"value_{number}_{i}" for i, leaf in enumerate(self.leaves) if staged_by(leaf) is not None
        }

    def is_like(self, other: Raised) -> bool:
        """Return whether two captures of one statement raise the same, up to staged values."""
        same = type(self.error) is type(other.error) and self.site == other.site and self.spec == other.spec
        return same and all(
            (i in self.names and i in other.names) or (type(a) is type(b) and a == b)
            for i, (a, b) in enumerate(zip(self.leaves, other.leaves, strict=True))
        )

    def again(self, backend: Any, state: InFlight) -> BaseException:
        leaves = [
            backend.bound(getattr(state, self.names[i])) if i in self.names else leaf
            for i, leaf in enumerate(self.leaves)
        ]
        error = self.error
        if self.names:
            args, fields = unflatten(self.spec, leaves)
            written = tuple(a.write(*a.values) if isinstance(a, ErrorText) else a for a in args)
            BaseException.__setattr__(error, "args", written)
            vars(error).update({n: v for n, v in fields.items() if n in vars(error)})
        if self.user_frames:
            self.traceback = synthetic_traceback(error, [position_at(*place) for place in self.user_frames])
            self.user_frames = []
        return error.with_traceback(self.traceback)


def refusal(what: str) -> RaiseInTryError:
    return RaiseInTryError(
        f"{what}, inside a 'try' or 'with' that catches the exception",
        why="the program raises it when it runs, and by then the 'try' or 'with' has ended",
        remedy="test the condition instead of catching the exception",
    )


class Flight:
    """The exceptions raised in a `try` and the regions in it, innermost last."""

    def __init__(self) -> None:
        self.state = InFlight()
        self.raised: list[Raised] = []
        self.growing: set[tuple[Any, int]] = set()
        """The lists to stage before the rest of a region: its site, and the index of the variable."""
        self.takers: list[Attempt] = []
        """The statement that may catch each exception, in the order in which they were raised."""
        self.attempts: list[Attempt] = []
        self.repeating: list[Attempt] = []
        """Those among the statements whose bodies have run, and run again for what they raised."""
        self.regions: list[Region] = []
        self.carried: list[Any] = []
        """The arrays that exceptions hold, of which handlers may have other names."""
        self.repeated: BaseException | None = None
        """The exception for which a statement is about to run again."""
        self.again: Iterator[Again] = iter(())
        """The context managers of that statement."""

    def forgotten(self, statement: Statement) -> Iterator[Variable]:
        """Yield the variables of a statement that no handler reads."""
        cells = cells_of(statement.get_state)
        caught = set().union(*(attempt.caught for attempt in self.attempts))
        for variable in statement.variables:
            if variable.name in cells and id(cells[variable.name]) not in caught:
                yield variable

    def expected(self, kinds: tuple[type[Exception], ...]) -> list[type[Exception]]:
        """Return the classes among `kinds` that a `try` around the running code names."""
        attempts = [attempt for _, attempt in self._protected() if attempt is not None]
        return [kind for kind in kinds if any(attempt.names(kind) for attempt in attempts)]

    def reached(self) -> tuple[list[Any], list[Any]]:
        """Return the bodies of the statements that are being staged, and their context managers."""
        attempts = self._active()
        return [a.body for a in attempts], [entered.made for a in attempts for entered in a.entered]

    def held(self) -> list[Any]:
        """Return what the generators among the context managers may change."""
        return [value for a in self._active() for entered in a.entered for value in entered.held]

    def _active(self) -> list[Attempt]:
        return [*self.attempts, *self.repeating]

    def take(self, error: BaseException) -> bool:
        """Note an exception if a `try` that is being staged may catch it, and return whether one does."""
        site: tuple = ()
        protected = [*self._protected()]
        for i, (frame, attempt) in enumerate(protected):
            site += ((frame.f_code, frame.f_lasti),)
            if attempt is None:
                refuse_caught(error, site[-1:])
            elif attempt.catches(error, is_seen=any(outer is not None for _, outer in protected[i + 1 :])):
                self._note(error, attempt, site)
                return True
        return False

    def _protected(self) -> Iterator[tuple[types.FrameType, Attempt | None]]:
        """Yield the user's running frames, innermost first, each with the attempt that protects it."""
        attempts = [*self.attempts]
        for frame in user_frames(own={attempt.code for attempt in attempts if attempt.is_own}):
            found = next((a for a in reversed(attempts) if a.is_running(frame)), None)
            if found is not None:
                del attempts[attempts.index(found) :]
            yield frame, found

    def manager(self, make: Callable[[], Any]) -> Any:
        """Return the next context manager of the innermost `with`, which `make` creates at first."""
        if self.repeated is not None:
            return next(self.again)
        entered = Entered(make())
        if is_rolling() and entered.may_catch_others():
            refuse_rolling()
        self.attempts[-1].entered.append(entered)
        return entered

    def refuse(self, error: BaseException) -> None:
        """Raise if a statement that cannot be staged may catch an exception; here, all of them can."""

    def _ends_trace(self, error: Exception) -> bool:
        """Return whether an error is no exception of the program. Raise if a `try` would catch it."""
        if is_own_raise(error):
            return False
        if isinstance(error, AutographError) or not self.expected((type(error),)):
            return True
        if is_of_plain_values(error):
            return False
        raise refusal(f"{type(error).__name__} is raised while a branch is traced") from error

    def refuse_item(self, backend: Any) -> None:
        """Raise if an index out of bounds cannot arrive at the handler that names it."""
        if not getattr(backend, "checks_operations", False) and self.expected((IndexError,)):
            raise refusal("an item is read or written at a staged index")

    def _note(self, error: BaseException, attempt: Attempt, site: tuple) -> None:
        traceback = error.__traceback__
        while traceback is not None:
            site += ((traceback.tb_frame.f_code, traceback.tb_lasti),)
            traceback = traceback.tb_next
        new = Raised(error, len(self.raised) + 1, attempt, site)
        active = self._active()
        for i, old in enumerate(self.raised):
            is_captured_again = old.attempt.code is attempt.code and old.attempt not in active
            if (old.attempt is attempt or is_captured_again) and old.is_like(new):
                new = self.raised[i] = Raised(error, old.number, attempt, site)
                break
        else:
            self.raised.append(new)
        self.takers.append(attempt)
        self.state.number = new.number
        for i, name in new.names.items():
            setattr(self.state, name, new.leaves[i])

    def run(self, statement: Statement, closure: Callable[[], Any], skipped: Any) -> tuple[Any, bool]:
        """Run the closure of a region, and return its result and whether each path raises."""
        region = Region(statement, skipped)
        self.regions.append(region)
        if skipped is False:  # a loop goes on while nothing is raised
            self.state.number = 0
        try:
            result, is_left = self._to_end(region, closure)
            if skipped is False:
                result = getattr(statement.backend, "as_condition", lambda value: value)(result)
            while region.rests:
                rest = region.rests.pop()
                result, is_left = rest.close(result, is_left=is_left)
        except BaseException:
            for rest in reversed(region.rests):
                rest.abandon()
            raise
        finally:
            self.regions.pop()
        return result, is_left

    def _to_end(self, region: Region, closure: Callable[[], Any]) -> tuple[Any, bool]:
        try:
            return closure(), False
        except AlwaysRaises as end:
            if not end.in_flight:
                if not region.rests:
                    raise
                region.rests[-1].capture.raised = end
        except Exception as error:
            if self._ends_trace(error):
                raise
            if not self.take(error):
                if not region.rests:
                    raise
                region.rests[-1].capture.raised = error
                if self.attempts:
                    self.attempts[-1].is_left_by_error = True
                backend = region.statement.backend
                if hasattr(backend, "raise_error"):
                    backend.raise_error(error)
                else:
                    backend.fail(True, error)  # type: ignore[attr-defined]
        return region.skipped, True

    def has_rest(self, frame: types.FrameType) -> bool:
        """Return whether an activation of a function has begun the rest of a region."""
        return any(frame in rest.frames for region in self.regions for rest in region.rests)

    def go_on(self, backend: Any) -> None:
        """Make the rest of the innermost region a branch if an exception may be in flight."""
        number = self.state.number
        if (type(number) is int and number == 0) or not self.regions:
            return
        region = self.regions[-1]
        if len(region.rests) == MAX_RESTS:
            error = RaiseInTryError(
                f"more than {MAX_RESTS} statements in a row may raise under staged conditions in a 'try'",
                why="what follows each of them is a branch of its own, inside the branch before",
                remedy="use a loop over an array or a staged range, or put the 'try' inside the loop",
            )
            error.needs = "rolled loops"
            raise error
        region.rests.append(Rest(self, region, backend))


@functools.lru_cache(maxsize=256)
def _protected_ranges(code: types.CodeType) -> list[tuple[int, int]]:
    """Return the instructions of a function whose exceptions a handler, `finally` or context manager sees."""
    names = {i.offset: i.opname for i in dis.get_instructions(code)}
    entries = dis.Bytecode(code).exception_entries  # type: ignore[attr-defined]  # not in typeshed
    return [(e.start, e.end) for e in entries if names[e.target] == "PUSH_EXC_INFO"]
