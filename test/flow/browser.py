"""browser.py - a headless Chromium that tests drive, with a real pointer, touch and keys.

It is spoken to by the DevTools protocol, over a pair of pipes: messages are JSON, each ended by a
zero byte. Nothing listens on a port, and only Chromium and Python's standard library are needed.
"""

import base64
import json
import os
import select
import subprocess
import time

COMMAND = [
    "chromium-headless-shell",
    "--no-sandbox",
    "--disable-gpu",
    "--hide-scrollbars",
    "--no-first-run",
    "--remote-debugging-pipe",
]
PATIENCE = 60  # seconds for one answer, on a machine that is busy with other tests


class Browser:
    """One window, one page. Use it in a `with` statement, or call close()."""

    def __init__(self, profile):
        to_read, self.to_browser = os.pipe()
        self.from_browser, to_write = os.pipe()
        # Chromium reads commands from descriptor 3 and answers on 4. The shell puts them there.
        self.process = subprocess.Popen(
            [
                "sh",
                "-c",
                f'exec "$@" 3<&{to_read} 4>&{to_write}',
                "sh",
                *COMMAND,
                f"--user-data-dir={profile}",
            ],
            pass_fds=[to_read, to_write],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(to_write)
        self.pending, self.last_id, self.session = b"", 0, None
        self.page = None
        self.requests = []  # every address the page has asked for
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        self.call("Page.enable")
        self.call("Network.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.session = None
        self.call(
            "Browser.close"
        )  # in order, so that no process of it writes to its profile any more
        self.process.wait(PATIENCE)
        os.close(self.to_browser)
        os.close(self.from_browser)

    def call(self, method, **parameters):
        """Sends one command and returns its result."""
        self.last_id += 1
        message = {"id": self.last_id, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to_browser, json.dumps(message).encode() + b"\0")
        ends = time.monotonic() + PATIENCE
        while True:
            while b"\0" in self.pending:
                text, self.pending = self.pending.split(b"\0", 1)
                answer = json.loads(text)
                if answer.get("method") == "Network.requestWillBeSent":
                    self.requests.append(answer["params"]["request"]["url"])
                if answer.get("id") == self.last_id:
                    if "error" in answer:
                        raise AssertionError((method, answer["error"]))
                    return answer["result"]
            if not select.select([self.from_browser], [], [], max(0, ends - time.monotonic()))[0]:
                raise AssertionError(f"the browser did not answer {method}")
            got = os.read(self.from_browser, 1 << 20)
            if not got:
                raise AssertionError(f"the browser ended at {method}")
            self.pending += got

    def show(self, address, width=1200, height=900, dark=False, touch=False):
        """Shows a page, with its fragment, in a window of this size; returns when it is laid out.

        A page that is there already gets the new fragment, as from a click on a link.
        """
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=touch,
        )
        self.call("Emulation.setTouchEmulationEnabled", enabled=touch)
        self.call(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}],
        )
        page, fragment = address.split("#")
        if page == self.page:
            self.ask(
                f"location.hash = {json.dumps(fragment)}; scrollTo(0, 0);"
                "document.activeElement.blur()"
            )
            self.settle()
            return
        self.page = page
        self.call("Page.navigate", url=address)
        ends = time.monotonic() + PATIENCE
        while self.ask("[document.readyState, location.protocol]") != [
            "complete",
            address.split("//")[0],
        ]:
            if time.monotonic() > ends:
                raise AssertionError(f"{address} did not load")
            time.sleep(0.01)
        self.settle()

    def settle(self):
        """Two frames: what was observed in the first is drawn in the second."""
        self.ask(
            "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))"
        )

    def ask(self, expression):
        """The value of a JavaScript expression in the page; a promise's value, if it is one."""
        got = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in got:
            raise AssertionError(json.dumps(got["exceptionDetails"])[:2000])
        return got["result"].get("value")

    def point(self, x, y):
        """Moves the mouse."""
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        self.settle()

    def click(self, x, y):
        for kind in ["mousePressed", "mouseReleased"]:
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        self.settle()

    def tap(self, x, y):
        """A finger, for a moment."""
        self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        self.settle()

    def press(self, key):
        """A key such as "Tab", "ArrowRight", "Enter" or "Escape"."""
        code = {
            "Tab": 9,
            "Enter": 13,
            "Escape": 27,
            "Space": 32,
            "End": 35,
            "Home": 36,
            "ArrowLeft": 37,
            "ArrowUp": 38,
            "ArrowRight": 39,
            "ArrowDown": 40,
        }[key]
        text = {"Enter": "\r", "Space": " "}.get(key, "")
        name = " " if key == "Space" else key
        self.call(
            "Input.dispatchKeyEvent",
            type="keyDown" if text else "rawKeyDown",
            key=name,
            code=key,
            windowsVirtualKeyCode=code,
            text=text,
        )
        self.call(
            "Input.dispatchKeyEvent", type="keyUp", key=name, code=key, windowsVirtualKeyCode=code
        )
        self.settle()

    def photograph(self, path):
        """The whole page, from top to bottom, as PNG."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        got = self.call(
            "Page.captureScreenshot",
            captureBeyondViewport=True,
            clip={"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1},
        )
        with open(path, "wb") as out:
            out.write(base64.b64decode(got["data"]))
