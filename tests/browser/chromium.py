"""Drive a headless Chromium over its DevTools pipe: the standard library is enough."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_FLAGS = """
    --headless=new --no-sandbox --disable-gpu --disable-background-networking --no-first-run
    --disable-component-update --disable-sync --disable-extensions --disable-default-apps
    --remote-debugging-pipe --hide-scrollbars --force-color-profile=srgb
"""
_NAMES = ("chromium", "chromium-browser", "google-chrome")
_PATIENCE = 60.0


def executable() -> str | None:
    """Return the browser's path, or None where there is none."""
    return next((path for name in _NAMES if (path := shutil.which(name))), None)


class Browser:
    """A browser with one tab, and all that happened in it."""

    def __init__(self, profile: Path) -> None:
        self.events: list[dict[str, Any]] = []
        self._number = 0
        self._buffer = b""
        commands, self._write = os.pipe()
        self._read, replies = os.pipe()
        path = executable()
        assert path is not None
        # The pipe's ends are the browser's descriptors 3 and 4, by its convention.
        actions = [(os.POSIX_SPAWN_DUP2, commands, 3), (os.POSIX_SPAWN_DUP2, replies, 4)]
        log = os.open(profile / "log", os.O_WRONLY | os.O_CREAT)
        actions += [(os.POSIX_SPAWN_DUP2, log, 1), (os.POSIX_SPAWN_DUP2, log, 2)]
        arguments = [path, *_FLAGS.split(), f"--user-data-dir={profile}", "about:blank"]
        self._pid = os.posix_spawn(path, arguments, os.environ, file_actions=actions)
        for end in (commands, replies, log):
            os.close(end)
        self._session: str | None = None

    def attach(self) -> None:
        """Take hold of a new tab and listen to everything in it."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        found = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = found["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command and wait for its answer."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            reply = self._receive()
            if reply.get("id") == self._number:
                assert "error" not in reply, reply
                return dict(reply["result"])

    def open(self, url: str, **screen: Any) -> None:
        """Load a page, in a window of so many pixels, and wait for its load event."""
        self.screen(**screen)
        self.events.clear()
        self.call("Page.navigate", url=url)
        self._until(lambda: any(e["method"] == "Page.loadEventFired" for e in self.events))

    def screen(self, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        """Set the window's size and the reader's colour scheme."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def run(self, expression: str) -> Any:
        """Evaluate an expression in the page and return its value."""
        found = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def wait_for(self, expression: str) -> None:
        """Wait until an expression is true in the page."""
        self._until(lambda: bool(self.run(expression)))

    def screenshot(self, whole: bool = True) -> bytes:
        """Return a picture of the page, or of what the window shows."""
        found = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        return base64.b64decode(found["data"])

    def complaints(self) -> list[str]:
        """Return errors, warnings, CSP violations and exceptions since the page was opened."""
        self.run("1")
        found = []
        for event in self.events:
            parameters = event["params"]
            if event["method"] == "Runtime.exceptionThrown":
                found.append(json.dumps(parameters["exceptionDetails"]))
            if event["method"] == "Runtime.consoleAPICalled":
                found.append(json.dumps(parameters["args"]))
            if event["method"] == "Log.entryAdded":
                found.append(parameters["entry"]["text"])
        return found

    def requests(self) -> list[str]:
        """Return the addresses that were asked for since the page was opened."""
        sent = (e for e in self.events if e["method"] == "Network.requestWillBeSent")
        return [str(e["params"]["request"]["url"]) for e in sent]

    def close(self) -> None:
        """End the browser."""
        self._session = None
        with contextlib.suppress(OSError, AssertionError, TimeoutError):
            self.call("Browser.close")
        os.close(self._write)
        os.close(self._read)
        os.waitpid(self._pid, 0)

    def _until(self, happened: Any) -> None:
        deadline = time.monotonic() + _PATIENCE
        while not happened():
            if time.monotonic() > deadline:
                raise TimeoutError("the page did not get there")
            time.sleep(0.03)
            self.run("1")

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], _PATIENCE)
            if not ready:
                raise TimeoutError("the browser does not answer")
            data = os.read(self._read, 1 << 20)
            if not data:
                raise OSError("the browser is gone")
            self._buffer += data
        message, _, self._buffer = self._buffer.partition(b"\0")
        reply: dict[str, Any] = json.loads(message)
        if "method" in reply:
            self.events.append(reply)
        return reply


@contextlib.contextmanager
def browser(profile: Path) -> Iterator[Browser]:
    """Run a browser with a fresh profile for as long as the block lasts."""
    found = Browser(profile)
    try:
        found.attach()
        yield found
    finally:
        found.close()
