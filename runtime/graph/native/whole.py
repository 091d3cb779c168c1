"""A graph as one region: its loops, and the code around them.

Where a call takes microseconds, making arrays and entering each loop take as long as the loops. So once all
loops of a graph are machine code, the graph is compiled as a whole, too, and runs so if that takes less time.
It has no effect before it ends: if machine code gives up, the call begins again with the Python code that
calls the loops.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..ir.graph import Graph
from .assembly.statuses import NOT_RUN
from .linking.compilation import Build
from .region import MEASURED_CALLS, Owner, Region, timed
from .regions import is_compiled, is_loop

if TYPE_CHECKING:
    from .linking.calls import NativeCode

HOT_SECONDS = 0.05
"""The time in the loops and around them after which a graph is compiled."""
_MEASURED_CALLS = 100
"""The calls of each way of which the shortest decides: the difference may be small."""
LONGEST = 0.001
"""The seconds of a call from which the code around the loops does not matter."""
_MOST_BAILOUTS = 8


def may_be_compiled(graph: Graph) -> bool:
    """Return whether a graph has loops, and nothing that cannot be compiled."""
    return any(map(is_loop, graph.nodes)) and all(map(is_compiled, graph.walk()))


class WholeGraph(Region):
    """A graph whose loops are machine code. `call` maps its arguments to its results.

    So does `parts`, the Python code that calls the loops.
    """

    def __init__(self, graph: Graph, owner: Owner, parts: Callable[..., tuple]):
        super().__init__(next(filter(is_loop, graph.nodes)), lambda: graph, owner, "code around the loop")
        self.parts = parts
        self.run = self._run_parts
        self._shortest_parts = self._shortest = float("inf")
        self._is_turn_of_parts = True

    @property
    def hot_seconds(self) -> float:
        return HOT_SECONDS

    def _build(self) -> Build:
        return Build(self.graph, self._mode, self._recover, keeps_arguments=True)

    def call(self, *arguments: Any) -> tuple:
        return self.run(*arguments)

    def run_python(self, *arguments: Any) -> tuple:
        """Run the Python code that calls the loops."""
        return self.parts(*arguments)

    def _run_parts(self, *arguments: Any) -> tuple:
        results = self._time_parts(arguments)
        if self._shortest_parts > LONGEST and self.python_calls >= MEASURED_CALLS:
            self._give_up(f"a call takes longer than {1000 * LONGEST:.0f} ms")
        elif self.python_seconds > self.hot_seconds and self.python_calls >= _MEASURED_CALLS:
            self._request()
        return results

    def _time_parts(self, arguments: tuple) -> tuple:
        results, elapsed = timed(self.parts, arguments)
        self.python_seconds += elapsed
        self.python_calls += 1
        self._shortest_parts = min(self._shortest_parts, elapsed)
        return results

    def _run_measured(self, *arguments: Any) -> tuple:
        """Run machine code and the parts in turn: a processor's speed changes over time."""
        self._is_turn_of_parts = not self._is_turn_of_parts
        if self._is_turn_of_parts:
            return self._time_parts(arguments)
        if not self.native_calls:
            self._shortest_parts = float("inf")
        results, elapsed = timed(self._call, arguments)
        self.native_seconds += elapsed
        self.native_calls += 1
        self._shortest = min(self._shortest, elapsed)
        if self.native_calls >= _MEASURED_CALLS and not self.is_settled:
            self.settle()
        return results

    def settle(self) -> None:
        """Keep the graph as a whole, or go back to its parts if they took less time."""
        if self._shortest >= self._shortest_parts:
            python, native = (f"{1e6 * s:.1f} us" for s in (self._shortest_parts, self._shortest))
            self._give_up(f"machine code took {native} for a call, Python and the loops {python}")
        else:
            self.keep()

    def _give_up(self, reason: str) -> None:
        if not self.reason:
            self.refuse(reason)
            self.owner.changed()

    def _recover(self, native: NativeCode, status: int, frame: Any, arguments: tuple) -> tuple:
        """Begin again with the Python code that calls the loops."""
        if status != NOT_RUN:
            native.release(frame)
        self.bailouts += 1
        if self.bailouts > _MOST_BAILOUTS:
            self._give_up("machine code gave up in many calls")
        return self.parts(*arguments)
