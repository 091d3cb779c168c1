"""The thread that compiles regions while the program runs."""

from __future__ import annotations

import atexit
import os
import queue
import threading
from collections.abc import Callable

from ...debugging.loggers import NATIVE

Task = Callable[[], None]


class Worker:
    """A thread that runs tasks in order. It starts with the first task."""

    def __init__(self) -> None:
        self._tasks: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._stopped = False
        self._idle = threading.Condition()
        self._pending = 0
        self.running = threading.Lock()
        """Held while a task runs. A fork waits for it: the child would inherit the locks of LLVM, held."""

    def submit(self, task: Task) -> None:
        with self._lock:
            if self._stopped:
                return
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="autograph_rs native", daemon=True)
                self._thread.start()
            with self._idle:
                self._pending += 1
            self._tasks.put(task)

    def wait(self) -> None:
        """Wait until all tasks are done."""
        with self._idle:
            self._idle.wait_for(lambda: not self._pending)

    def stop(self) -> None:
        """Finish the current task and end the thread, as LLVM must not run while the process exits."""
        with self._lock:
            self._stopped = True
            thread = self._thread
        if thread is not None:
            self._tasks.put(None)
            thread.join()

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
                    self._idle.notify_all()


WORKER = Worker()


def _pause() -> None:
    WORKER.running.acquire()


def _resume() -> None:
    WORKER.running.release()


def _restart() -> None:
    """Forget a thread that does not exist in a forked process."""
    global WORKER  # noqa: PLW0603
    WORKER = Worker()


def submit(task: Task) -> None:
    WORKER.submit(task)


def wait_for_compilation() -> None:
    """Wait until the regions that are being compiled in the background are ready."""
    WORKER.wait()


def _stop() -> None:
    WORKER.stop()


atexit.register(_stop)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_pause, after_in_parent=_resume, after_in_child=_restart)
