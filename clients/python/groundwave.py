"""Sends readings to Groundwave from a device or a gateway, with Python 3.8 or later, without other packages.

A reading is on disk before `add` returns. Batches are sent in that order, and a batch is sent again, unchanged, until the
server has answered it: the server stores a reading once, however often it comes. One process uses a folder at a time.
"""

import http.client
import json
import os
import random
import re
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

MAX_BATCH_BYTES = 500_000
LONGEST_PAUSE_S = 60
SEALED = ".ndjson"
UNREADABLE = ".unreadable"
# The server itself cannot read such a batch, now or later. Others can change: a key is renewed, a proxy is repaired.
FINAL = {400, 413, 415, 422}
# The one refusal of a reading that passes.
DAY_SPENT = "SENSOR_READINGS_DAILY_LIMIT"


class Sender:
    """Sends in a thread, which ends with the program.

    url: address of the server, such as https://readings.example.org
    key: key of the sensor, or a fleet key
    spool: folder for readings that are not sent yet
    sensor: id of the sensor; without it, `key` is a fleet key, and each reading names its sensor
    interval: longest time in seconds that a reading waits for others before it is sent
    timeout: seconds for a call
    on_refused: called with the readings that the server does not store: at, reason, sensor, channel
    on_error: called after an attempt that failed and will be repeated, or with a batch that the server can never read
    """

    def __init__(self, url, key, spool, sensor=None, interval=1.0, timeout=30.0, on_refused=None, on_error=None):
        path = "/ingest/readings" if sensor is None else f"/sensors/{urllib.parse.quote(sensor, safe='')}/readings"
        self._address = urllib.parse.urljoin(url, path)
        self._key, self._spool, self._interval, self._timeout = key, spool, interval, timeout
        self._max_readings = 5_000 if sensor is None else 500
        self._on_refused = on_refused or (lambda refused: None)
        self._on_error = on_error or (lambda error: None)
        os.makedirs(spool, exist_ok=True)
        names = sorted(name for name in os.listdir(spool) if re.match(r"\d{15}\.ndjson", name))
        self._sealed = [name for name in names if name.endswith(SEALED)]
        self._sequence = _number(names[-1]) if names else 0
        self._file = None
        self._readings = self._bytes = 0
        self._since = 0.0
        self._stopped = threading.Event()
        # guards the fields above; notified when there is work, and when work is done
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def add(self, *readings):
        """Returns once the readings are on disk: dicts of `at` (RFC 3339), `values`, `location`, and `sensor`."""
        lines = [json.dumps(reading, separators=(",", ":"), allow_nan=False).encode() + b"\n" for reading in readings]
        with self._changed:
            for line in lines:
                if self._file and (
                    self._readings == self._max_readings or self._bytes + len(line) > MAX_BATCH_BYTES
                ):
                    self._seal()
                if self._file is None:
                    self._open()
                self._write(line)
                self._readings += 1
                self._bytes += len(line)
            if self._file:
                self._write(b"", sync=True)

    def flush(self, timeout=None):
        """Waits until the server has answered all readings that were added before. Returns whether it has."""
        with self._changed:
            self._seal()
            through = self._sequence
            return self._changed.wait_for(lambda: not self._sealed or _number(self._sealed[0]) > through, timeout)

    def close(self):
        """Stops. What is not sent stays in the folder for the next start."""
        self._stopped.set()
        with self._changed:
            self._changed.notify_all()
        self._thread.join()
        with self._changed:
            self._seal()

    def _open(self):
        self._sequence += 1
        self._file = open(os.path.join(self._spool, f"{self._sequence:015d}{SEALED}"), "xb")
        self._readings = self._bytes = 0
        self._since = time.monotonic()
        if os.name == "posix":
            # the name of a new file is on disk too
            folder = os.open(self._spool, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        self._changed.notify_all()

    def _write(self, line, sync=False):
        try:
            self._file.write(line)
            if sync:
                self._file.flush()
                os.fsync(self._file.fileno())
        except OSError:
            # a part of it may be written: later readings go to another file
            self._abandon()
            raise

    def _seal(self):
        if self._file is None:
            return
        self._write(b"", sync=True)
        self._abandon()

    def _abandon(self):
        file, self._file = self._file, None
        self._sealed.append(os.path.basename(file.name))
        self._changed.notify_all()
        try:
            file.close()
        except OSError:
            pass

    def _work(self):
        while not self._stopped.is_set():
            try:
                name = self._next()
                if name is not None and self._send(name):
                    with self._changed:
                        self._sealed.pop(0)
                        self._changed.notify_all()
            except Exception as error:
                self._on_error(error)
                self._stopped.wait(LONGEST_PAUSE_S)

    def _next(self):
        """Waits for a batch."""
        with self._changed:
            while not self._sealed and not self._stopped.is_set():
                wait = None if self._file is None else self._since + self._interval - time.monotonic()
                if wait is not None and wait <= 0:
                    self._seal()
                else:
                    self._changed.wait(wait)
            return None if self._stopped.is_set() else self._sealed[0]

    def _send(self, name):
        """Returns whether the batch is done."""
        path = os.path.join(self._spool, name)
        with open(path, "rb") as file:
            # `add` has not returned for a last line without its end
            lines = file.read().split(b"\n")[:-1]
        body = b'{"readings":[' + b",".join(lines) + b"]}"
        failures = 0
        while lines:
            pause = self._attempt(path, body, failures)
            if pause is None:
                break
            failures += 1
            if self._stopped.wait(pause):
                return False
        if os.path.exists(path):
            os.remove(path)
        return True

    def _attempt(self, path, body, failures):
        """Returns after how many seconds to try again; None if the batch is done."""
        pause = min(LONGEST_PAUSE_S, 2 ** min(failures, 10)) * (0.5 + random.random() / 2)
        headers = {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"}
        try:
            request = urllib.request.Request(self._address, body, headers)
            with urllib.request.urlopen(request, timeout=self._timeout) as response:
                refused = json.load(response)["data"]["refused"]
            # the readings that are stored by then are duplicates
            if any(reading["reason"] == DAY_SPENT for reading in refused):
                return LONGEST_PAUSE_S
            if refused:
                self._report(refused)
            return None
        except urllib.error.HTTPError as error:
            answer = error.read().decode(errors="replace")
            self._on_error(RuntimeError(f"{error.code} {answer[:1_000]}"))
            if error.code in FINAL and _is_of_server(answer):
                os.replace(path, path + UNREADABLE)
                return None
            after = error.headers.get("Retry-After") or ""
            return int(after) if after.isdigit() and int(after) > 0 else pause
        except (OSError, http.client.HTTPException, ValueError, KeyError) as error:
            self._on_error(error)
            return pause

    def _report(self, refused):
        # the batch is done, whatever becomes of the report
        try:
            self._on_refused(refused)
        except Exception as error:
            self._on_error(error)


def _is_of_server(answer):
    """Whether the server has refused a call, and not a proxy before it."""
    try:
        value = json.loads(answer)
    except ValueError:
        return False
    return isinstance(value, dict) and value.get("ok") is False


def _number(name):
    return int(name.split(".")[0])
