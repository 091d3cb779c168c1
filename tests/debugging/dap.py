"""A small client of the Debug Adapter Protocol, for debugpy's adapter."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

SECONDS = 300  # only what hangs takes as long


class Client:
    """A program under debugpy's adapter, which is talked to as an editor talks to it."""

    def __init__(self, program: Path, **options: Any):
        self._process = subprocess.Popen(
            [sys.executable, "-m", "debugpy.adapter"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._received: queue.Queue[dict[str, Any]] = queue.Queue()
        self._kept: list[dict[str, Any]] = []
        self._number = 0
        threading.Thread(target=self._receive, daemon=True).start()
        self.request("initialize", adapterID="test", pathFormat="path")
        self._send(
            "launch", type="python", request="launch", program=str(program), cwd=str(program.parent),
            console="internalConsole", python=[sys.executable], **options,
        )  # fmt: skip
        self.event("initialized")

    def run(self, file: Path, *lines: int, condition: str | None = None) -> None:
        """Set breakpoints, and start the program."""
        places = [{"line": line} | ({"condition": condition} if condition else {}) for line in lines]
        self.request("setBreakpoints", source={"path": str(file)}, breakpoints=places)
        self.request("configurationDone")

    def stopped(self) -> list[dict[str, Any]]:
        """The stack, once the program stops; empty if it ends."""
        event = self.event("stopped", "terminated")
        if event["event"] == "terminated":
            return []
        self.thread = event["body"]["threadId"]
        return self.request("stackTrace", threadId=self.thread)["stackFrames"]

    def go(self, command: str) -> list[dict[str, Any]]:
        """`continue`, `next`, `stepIn` or `stepOut`, and the stack where that leads."""
        self.request(command, threadId=self.thread)
        return self.stopped()

    def variables(self, frame: dict[str, Any]) -> dict[str, str]:
        scopes = self.request("scopes", frameId=frame["id"])["scopes"]
        found = self.request("variables", variablesReference=scopes[0]["variablesReference"])["variables"]
        return {each["name"]: each["value"] for each in found}

    def request(self, command: str, **arguments: Any) -> Any:
        number = self._send(command, **arguments)
        answer = self._next(lambda m: m["type"] == "response" and m["request_seq"] == number)
        assert answer["success"], answer
        return answer.get("body")

    def event(self, *names: str) -> dict[str, Any]:
        return self._next(lambda m: m["type"] == "event" and m["event"] in names)

    def close(self) -> None:
        """End the program, and then the adapter, which would wait for others."""
        if self._process.poll() is None:
            self.request("disconnect", terminateDebuggee=True)
            self._process.kill()
        self._process.wait(timeout=SECONDS)
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            stream.close()

    def _send(self, command: str, **arguments: Any) -> int:
        self._number += 1
        message = {"seq": self._number, "type": "request", "command": command, "arguments": arguments}
        body = json.dumps(message).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._process.stdin.flush()
        return self._number

    def _next(self, wanted: Any) -> dict[str, Any]:
        for place, message in enumerate(self._kept):
            if wanted(message):
                return self._kept.pop(place)
        while not wanted(message := self._received.get(timeout=SECONDS)):
            self._kept.append(message)
        return message

    def _receive(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        try:
            while header := stream.readline():
                size = int(header.split(b":")[1])
                stream.readline()
                self._received.put(json.loads(stream.read(size)))
        except ValueError:  # closed
            return
