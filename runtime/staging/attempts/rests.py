"""The parts of branches, loop bodies and `try` bodies that exceptions skip."""

from __future__ import annotations

import contextlib
from typing import Any

from ...backends import staged_by
from ...core.active_backends import assuming
from ...core.closures import nothing
from ...values.locations import RESULT, Location, Path
from ..branches.conditions import growing, merge_paths
from ..state.growing_lists import GrowLists, stage_list
from ..state.mismatches import Side
from ..state.object_merging import MergeByField
from ..state.search import user_frames
from ..state.statement import Restage, Statement
from ..state.unsupported import not_a_variable_error


class Region:
    """A branch, a loop body, or the body of a `try`, with the parts of it that exceptions skip."""

    def __init__(self, statement: Statement, skipped: Any):
        self.statement, self.skipped = statement, skipped
        self.rests: list[Rest] = []


class Rest:
    """The rest of a region after a staged condition has decided whether an exception is in flight."""

    def __init__(self, flight: Any, region: Region, backend: Any):
        self.outer = outer = region.statement
        accessors = outer.get_state, outer.set_state
        self.flight, self.skipped, self.backend = flight, region.skipped, backend
        self.statement = Statement(backend, outer.closures, accessors, outer.names)
        self.statement.apart = outer.apart
        self.frames = user_frames()
        """The activations in which it has begun."""
        self.site = tuple((frame.f_code, frame.f_lasti) for frame in self.frames)
        for variable in self.statement.variables:
            if (self.site, variable.index) in flight.growing:
                stage_list(self.statement, variable)
        self.goes_on = flight.state.number == 0
        self.stack = contextlib.ExitStack()
        self.stack.enter_context(self.statement.heap.watching())
        self.stack.enter_context(assuming(self.goes_on, outcome=True))
        self.capture = self.stack.enter_context(backend.open_branch())
        flight.state.number = 0

    def close(self, result: Any, *, is_left: bool) -> tuple[Any, bool]:
        """Make the rest a branch, and return the result of the region and whether each path raises."""
        statement, path, skipped = self.statement, Path(), Path()
        path.is_left = is_left and self.capture.raised is None
        skipped.is_left = True
        try:
            self.capture.leaves = statement.note(path, result)
            dead = {v for v in statement.variables if not all(map(_is_in_scope, path.values[v][0]))}
            self.capture.value = result
        finally:
            self.stack.close()
            statement.restore()
        path.capture = self.capture
        getattr(self.capture, "unshare", nothing)()
        statement.finished(path)
        with self.backend.open_branch() as skipped.capture:
            pass
        for variable, value in zip(statement.variables, statement.before, strict=True):
            if variable in dead:
                del path.values[variable]
                continue
            skipped.values[variable], skipped.raw[variable] = statement.flatten(value), value
        if self.skipped is not None:
            path.values[RESULT], skipped.values[RESULT] = map(statement.flatten, (result, self.skipped))
        self.stage_lists(path, skipped)
        sides = Side("if nothing is raised"), Side("if an exception is raised")
        count = len(statement.names)
        try:
            values = merge_paths(statement, self.goes_on, (path, skipped), count, sides)
        except MergeByField as error:
            statement.apart.kinds.add(error.kind)
            raise Restage([]) from None
        result = values.pop(RESULT, result)
        statement.write(values)
        getattr(self.capture, "share_again", nothing)()
        return result, is_left

    def stage_lists(self, path: Path, skipped: Path) -> None:
        """Run the region again, with staged lists, if the rest leaves plain lists with other lengths."""
        if not hasattr(self.backend, "staged_list"):  # then merging says that their lengths differ
            return
        statement, known, from_before = self.statement, len(self.flight.growing), []
        for location in growing(statement, path, skipped):
            if not isinstance(location, Location):
                continue
            grown, indexes = location.owner, range(len(statement.before))
            is_before = any(value is grown for value in self.outer.before)
            if is_before or self.outer.heap.holders(grown):
                from_before.append(grown)
            elif places := [(self.site, i) for i in indexes if statement.before[i] is grown]:
                self.flight.growing.update(places)
            elif self.outer.heap.has(grown):
                from_before.append(grown)
            else:
                holder = next(iter(statement.heap.holders(grown)), None)
                raise not_a_variable_error(grown, holder, statement.closures)
        if from_before:
            raise GrowLists(from_before)
        if len(self.flight.growing) > known:
            raise Restage([])

    def abandon(self) -> None:
        self.stack.close()
        self.statement.restore()


def _is_in_scope(leaf: Any) -> bool:
    """Return whether a value can be used. A dead variable may hold a value of a branch that has ended."""
    return staged_by(leaf) is None or getattr(leaf, "is_in_scope", True)
