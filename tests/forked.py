"""Run Python programs in forks of a server process that has already imported the package.

A fork has its own working directory, environment, streams and exit code, and avoids the half second that it
takes to start Python. `run` starts the server, which runs this file, once per test process. Tests of the
start itself, such as of which modules are imported, must use `cli_support.python`, which always starts a new
interpreter.
"""

from __future__ import annotations

import array
import atexit
import contextlib
import json
import os
import runpy
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

POSSIBLE = sys.platform == "linux"  # elsewhere, forking a process that has loaded system libraries is unsafe
IMPORTED = [
    f"autograph_rs.{name}" for name in ("cli", "converters", "ahead_of_time.modules", "explaining.api")
]
# Prefixes of variables that are read when Python starts or when the package or its libraries are imported.
OF_TERMINALS = ("TERM", "TTY_", "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR")
READ_AT_START = ("PYTHON", "AUTOGRAPH_RS_", "LANG", "LC_", *OF_TERMINALS)


# In the test process ------------------------------------------------------------------------------


class Server:
    """The process that forks, and the connection to it."""

    def __init__(self, environ: dict[str, str]) -> None:
        self.connection, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, __file__, str(theirs.fileno())], env=environ | {"OPENBLAS_NUM_THREADS": "1"},
                pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            )  # fmt: skip

    def run(self, request: dict[str, object], streams: list[int], seconds: float) -> int:
        """Run a program in a fork with these streams, and return its exit code (negative for a signal)."""
        data = json.dumps(request).encode()
        socket.send_fds(self.connection, [len(data).to_bytes(4, "big")], streams)
        self.connection.sendall(data)
        self.connection.settimeout(seconds)
        return int.from_bytes(exactly(self.connection, 4), "big", signed=True)

    def close(self) -> None:
        self.connection.close()
        self.process.wait()


_servers: dict[tuple[tuple[str, str], ...], Server] = {}


def server(environ: dict[str, str]) -> Server:
    key = tuple(sorted(item for item in environ.items() if item[0].startswith(READ_AT_START)))
    if key not in _servers:
        _servers[key] = Server(environ)
    return _servers[key]


def forget(started: Server) -> None:
    started.process.kill()
    started.close()
    for key in [key for key, other in _servers.items() if other is started]:
        del _servers[key]


@atexit.register
def _close() -> None:
    while _servers:
        _servers.popitem()[1].close()


def run(
    arguments: list[str], *, cwd: Path, data: bytes, environ: dict[str, str], seconds: float
) -> subprocess.CompletedProcess[bytes]:
    """Run `python ARGUMENT...`, with `-m MODULE` or a file first, and return its result."""
    with contextlib.ExitStack() as stack:
        streams = [stack.enter_context(tempfile.TemporaryFile()) for _ in range(3)]
        streams[0].write(data)
        streams[0].seek(0)
        started = server(environ)
        request = {"arguments": arguments, "cwd": str(cwd), "environ": environ}
        try:
            code = started.run(request, [stream.fileno() for stream in streams], seconds)
        except BaseException:
            forget(started)  # its next answer would belong to this request
            raise
        for stream in streams[1:]:
            stream.seek(0)
        return subprocess.CompletedProcess(arguments, code, streams[1].read(), streams[2].read())


def exactly(connection: socket.socket, count: int) -> bytes:
    found = b""
    while len(found) < count:
        part = connection.recv(count - len(found))
        if not part:
            raise EOFError("the peer closed the connection")
        found += part
    return found


# In the server process ----------------------------------------------------------------------------


def serve(connection: socket.socket) -> list[str]:
    """Answer requests, each in a fork. Return only in a fork, with the arguments of the program to run."""
    while True:
        head, streams, _, _ = socket.recv_fds(connection, 4, 3)
        if not head:
            os._exit(0)
        size = int.from_bytes(head + exactly(connection, 4 - len(head)), "big")
        request = json.loads(exactly(connection, size))
        child = os.fork()
        if child == 0:
            break
        for stream in streams:
            os.close(stream)
        _, status = os.waitpid(child, 0)
        connection.sendall(os.waitstatus_to_exitcode(status).to_bytes(4, "big", signed=True))
    connection.close()
    for number, stream in enumerate(array.array("i", streams)):
        os.dup2(stream, number)
        os.close(stream)
    os.environ.clear()
    os.environ.update(request["environ"])
    os.chdir(request["cwd"])
    return request["arguments"]


def main() -> None:
    with contextlib.suppress(ModuleNotFoundError):  # without click
        for name in IMPORTED:
            __import__(name)
    first, *rest = serve(socket.socket(fileno=int(sys.argv[1])))
    if first == "-m":
        sys.path[0] = os.getcwd()
        sys.argv[:] = rest
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    else:
        sys.path[0] = os.path.dirname(os.path.abspath(first))
        sys.argv[:] = [first, *rest]
        runpy.run_path(first, run_name="__main__")


if __name__ == "__main__":
    main()
