"""Does what keep-adding.ts does, with the sender in Python. The first argument is the folder of the sender."""

import sys
from datetime import datetime, timedelta, timezone

client, url, sensor, key, spool, start_ms, first = sys.argv[1:]
sys.path.insert(0, client)
sys.dont_write_bytecode = True
from groundwave import Sender  # noqa: E402

sender = Sender(url, key, spool, sensor, interval=0.05, on_refused=lambda refused: print(refused, file=sys.stderr))
start = datetime.fromtimestamp(0, timezone.utc) + timedelta(milliseconds=int(start_ms))


def reading(n):
    at = start + timedelta(milliseconds=n * 10)
    return {"at": at.isoformat(timespec="milliseconds"), "values": {"a": n / 8, "b": n}}


if first == "flush":
    sender.flush()
    sender.close()
else:
    n = int(first)
    while True:
        sender.add(*(reading(n + i) for i in range(5)))
        print(n + 4, flush=True)
        n += 5
