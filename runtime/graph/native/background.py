"""The thread that compiles regions while the program runs."""

from __future__ import annotations

import atexit
import os
import queue
import sys
import threading
from collections.abc import Callable

from ...debugging.loggers import NATIVE

Task = Callable[[], None]
SWITCH_SECONDS = 0.0005
"""The switch interval while there are tasks. Each call of LLVM and each access to a file releases the GIL,
and a program that computes gives it back only after this time: by default, ten times later."""


class Worker:
    """A thread that runs tasks in order. It starts with the first task."""

    def __init__(self) -> None:
        self._tasks: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._stopped = False
        self._idle = threading.Condition()
        self._pending = 0
        self._intervals = (0.0, 0.0)
        """The program's switch interval, and the one that replaces it while there are tasks."""
        self.running = threading.Lock()
        """Held while a task runs. A fork waits for it: the child would inherit the locks of LLVM, held."""

    def submit(self, task: Task) -> None:
        with self._lock:
            if self._stopped:
                return
            with self._idle:
                if not self._pending:
                    self._shorten_turns()
                self._pending += 1
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="autograph_rs native", daemon=True)
                self._thread.start()
            self._tasks.put(task)

    def wait(self) -> None:
        """Wait until all tasks are done."""
        with self._idle:
            self._idle.wait_for(lambda: not self._pending)

    @property
    def is_busy(self) -> bool:
        return self._pending > 0

    def stop(self) -> None:
        """Finish the current task and end the thread, as LLVM must not run while the process exits."""
        with self._lock:
            self._stopped = True
            thread = self._thread
        if thread is not None:
            self._tasks.put(None)
            thread.join()

    def abandon(self) -> None:
        """Undo in a forked process what a thread would undo that does not exist there."""
        if self._pending:
            self._restore_turns()

    def _run(self) -> None:
        while (task := self._tasks.get()) is not None:
            try:
                if not self._stopped:
                    with self.running:
                        task()
            except Exception:  # noqa: BLE001 - later tasks have to run
                NATIVE.exception("a compilation in the background failed")
            finally:
                with self._idle:
                    self._pending -= 1
                    if not self._pending:
                        self._restore_turns()
                    self._idle.notify_all()

    def _shorten_turns(self) -> None:
        """Let the thread have the GIL soon after it asks for it."""
        before = sys.getswitchinterval()
        if before > SWITCH_SECONDS:
            sys.setswitchinterval(SWITCH_SECONDS)
        self._intervals = before, sys.getswitchinterval()

    def _restore_turns(self) -> None:
        before, own = self._intervals
        if sys.getswitchinterval() == own != before:  # unless the program has set another
            sys.setswitchinterval(before + 5e-7)  # Python rounds down to a microsecond


WORKER = Worker()


def _pause() -> None:
    WORKER.running.acquire()


def _resume() -> None:
    WORKER.running.release()


def _restart() -> None:
    """Forget a thread that does not exist in a forked process."""
    global WORKER  # noqa: PLW0603
    WORKER.abandon()
    WORKER = Worker()


def submit(task: Task) -> None:
    WORKER.submit(task)


def is_compiling() -> bool:
    return WORKER.is_busy


def wait_for_compilation() -> None:
    """Wait until the regions that are being compiled in the background are ready."""
    WORKER.wait()


def _stop() -> None:
    WORKER.stop()


atexit.register(_stop)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_pause, after_in_parent=_resume, after_in_child=_restart)
