"""Drives a headless Chromium over its DevTools protocol, with nothing but Python's own library.

The protocol goes through two pipes (--remote-debugging-pipe: the browser reads descriptor 3 and
writes descriptor 4; a JSON object each, ended by a zero byte), so that no port is opened. Each
browser has a profile in a temporary folder, which goes away with it.
"""

import base64
import collections
import contextlib
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import tempfile
import time

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
ANSWER_SECONDS = 120


class BrowserError(Exception):
    """The browser is not there, has ended, or refuses what it was asked for."""


class Browser:
    """A browser with one page. Events that were not waited for are kept in `events`."""

    def __init__(self):
        if CHROMIUM is None:
            raise BrowserError("Chromium is not installed; install it: "
                               "scripts/install-dependencies --tests")
        self.events = []
        self._folder = tempfile.mkdtemp(prefix="drover-browser-")
        self._next_id = 0
        self._buffer = b""
        self._messages = collections.deque()
        self._session = None
        to_browser, self._write_end = os.pipe()
        self._read_end, from_browser = os.pipe()
        self._log = open(os.path.join(self._folder, "log"), "wb")
        try:
            self._process = self._start(to_browser, from_browser)
        finally:
            os.close(to_browser)
            os.close(from_browser)
        try:
            self._open_page()
        except BaseException:
            self.close()
            raise

    def _start(self, to_browser, from_browser):
        arguments = [
            CHROMIUM, "--headless=new", "--remote-debugging-pipe", "--disable-gpu",
            "--no-first-run", "--no-default-browser-check", "--disable-extensions",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--disable-dev-shm-usage", "--disable-breakpad", "--hide-scrollbars", "--mute-audio",
            f"--user-data-dir={os.path.join(self._folder, 'profile')}", "about:blank"]
        if os.geteuid() == 0:
            arguments.insert(1, "--no-sandbox")  # which refuses to be made by root

        def place_pipes():
            # Out of the way first: either of them may be 3 or 4 already.
            ends = [os.dup2(to_browser, 100), os.dup2(from_browser, 101)]
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        environment = {name: value for name, value in os.environ.items()
                       if name in ("PATH", "LANG", "LC_ALL")}
        environment["HOME"] = self._folder
        return subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=self._log,
                                stderr=self._log, close_fds=False, preexec_fn=place_pipes,
                                env=environment, start_new_session=True)

    def _open_page(self):
        target = self._ask("Target.createTarget", {"url": "about:blank"})["targetId"]
        self._session = self._ask("Target.attachToTarget",
                                  {"targetId": target, "flatten": True})["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log", "DOM"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        for descriptor in (self._write_end, self._read_end):
            with contextlib.suppress(OSError):
                os.close(descriptor)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._log.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    # -- the protocol

    def _ask(self, method, parameters=None):
        self._next_id += 1
        message = {"id": self._next_id, "method": method, "params": parameters or {}}
        if self._session:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        try:
            while data:
                data = data[os.write(self._write_end, data):]
        except OSError as error:
            raise BrowserError(f"the browser has ended: {error}; {self._last_words()}") from None
        deadline = time.monotonic() + ANSWER_SECONDS
        while True:
            message = self._receive(deadline)
            if message is None:
                raise BrowserError(f"no answer to {method} within {ANSWER_SECONDS} s; "
                                   f"{self._last_words()}")
            if message.get("id") == self._next_id:
                if "error" in message:
                    raise BrowserError(f"{method}: {message['error']}")
                return message["result"]
            self._keep(message)

    def _keep(self, message):
        if "method" not in message:
            return
        self.events.append(message)
        # A dialog would stop the page for ever.
        if message["method"] == "Page.javascriptDialogOpening":
            data = {"id": 0, "method": "Page.handleJavaScriptDialog", "params": {"accept": True},
                    "sessionId": self._session}
            os.write(self._write_end, json.dumps(data).encode() + b"\0")

    def _receive(self, deadline):
        """The next message; None if the time is up."""
        while not self._messages:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._read_end], [], [], left)[0]:
                return None
            data = os.read(self._read_end, 1 << 20)
            if not data:
                raise BrowserError(f"the browser has ended; {self._last_words()}")
            *whole, self._buffer = (self._buffer + data).split(b"\0")
            self._messages.extend(json.loads(one) for one in whole)
        return self._messages.popleft()

    def _last_words(self):
        self._log.flush()
        with open(self._log.name, "rb") as log:
            return log.read()[-2000:].decode(errors="replace")

    def call(self, method, **parameters):
        return self._ask(method, parameters)

    def wait_for_event(self, method, seconds=60):
        deadline = time.monotonic() + seconds
        seen = 0
        while True:
            for event in self.events[seen:]:
                if event["method"] == method:
                    return event["params"]
            seen = len(self.events)
            message = self._receive(deadline)
            if message is None:
                raise BrowserError(f"no {method} within {seconds} s")
            self._keep(message)

    def events_named(self, method):
        return [event["params"] for event in self.events if event["method"] == method]

    # -- a page

    def open(self, path):
        """Loads a file, and forgets the events of the one before."""
        self.events.clear()
        self.call("Page.navigate", url=pathlib.Path(path).as_uri())
        self.wait_for_event("Page.loadEventFired")
        self.evaluate("document.fonts.ready.then(() => 1)")

    def evaluate(self, expression):
        """The value of an expression, a promise's included. The tests' own code runs whatever the
        policy of the page is; the page has none."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            raise BrowserError(f"{expression[:200]}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def resize(self, width, height=900):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)

    def emulate(self, scheme="light", medium="screen"):
        self.call("Emulation.setEmulatedMedia", media=medium,
                  features=[{"name": "prefers-color-scheme", "value": scheme}])

    def move_pointer(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def press_tab(self):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab",
                      windowsVirtualKeyCode=9)

    def screenshot(self, path, whole=True):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(data["data"]))

    def print_to_pdf(self):
        data = self.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True)
        return base64.b64decode(data["data"])
