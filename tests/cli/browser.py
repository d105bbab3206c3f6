"""One headless Chromium for all pages of a test: it takes two seconds to start."""

import atexit
import fcntl
import functools
import itertools
import json
import os
import shutil
import subprocess
import tempfile

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
WHEN_TOLD = """new Promise((told) => {
  const look = () => { const outcome = document.getElementById("outcome"); outcome ? told(outcome.textContent) : setTimeout(look, 10); };
  look();
})"""


class Browser:
    """Speaks Chrome's DevTools protocol over the pipes 3 and 4: a text in JSON, then a byte 0."""

    def __init__(self) -> None:
        assert CHROMIUM is not None
        self._profile = tempfile.TemporaryDirectory(prefix="damocles_browser_")
        (asked, self._ask), (self._heard, told) = os.pipe(), os.pipe()
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (asked, told)]  # so that neither is 3 or 4 before it is due
        self._process = subprocess.Popen(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             f"--user-data-dir={self._profile.name}", "--remote-debugging-pipe"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, pass_fds=(3, 4),
            preexec_fn=lambda: [os.dup2(end, at) for end, at in zip(ends, (3, 4))])
        for end in (*ends, asked, told):
            os.close(end)
        self._replies = os.fdopen(self._heard, "rb")
        self._numbers = itertools.count(1)

    def close(self) -> None:
        os.close(self._ask)
        self._replies.close()
        self._process.terminate()
        self._process.wait()
        self._profile.cleanup()

    def _message(self) -> dict:
        text = bytearray()
        while (byte := self._replies.read(1)) != b"\0":
            if not byte:
                raise EOFError("the browser has ended")
            text += byte
        return json.loads(text)

    def _call(self, method: str, session: str | None = None, **values: object) -> dict:
        number = next(self._numbers)
        request = {"id": number, "method": method, "params": values, **({"sessionId": session} if session else {})}
        os.write(self._ask, json.dumps(request).encode() + b"\0")
        while True:
            message = self._message()
            if message.get("id") == number:
                assert "error" not in message, message
                return message["result"]

    def shows(self, file: str, width: int) -> str:
        """The text of the element `outcome`, once the page of the file has one, in a window that remembers nothing."""
        context = self._call("Target.createBrowserContext")["browserContextId"]
        page = self._call("Target.createTarget", url="about:blank", browserContextId=context)["targetId"]
        session = self._call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        self._call("Emulation.setDeviceMetricsOverride", session, width=width, height=2000, deviceScaleFactor=1, mobile=False)
        self._call("Page.navigate", session, url=f"file://{file}")
        found = self._call("Runtime.evaluate", session, expression=WHEN_TOLD, awaitPromise=True, returnByValue=True)
        self._call("Target.disposeBrowserContext", browserContextId=context)
        return found["result"]["value"]


@functools.cache
def the_browser() -> Browser | None:
    """Of this process; None where none is installed."""
    if CHROMIUM is None:
        return None
    one = Browser()
    atexit.register(one.close)
    return one
