"""Runs a program in a pseudo-terminal, as a person would, by steps of JSON on standard input.

Reads {"argv", "env", "rows", "columns", "steps"}; a step is {"until": "regular expression"}, {"send": "keys"} or
{"signal": "SIGCONT"}. Prints {"output", "code"}. Waits 60 s at most for each step.
"""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

PATIENCE_SECONDS = 60


def start(order):
    """The program's pid and our end of its terminal."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvpe(order["argv"][0], order["argv"], order["env"])
    size = struct.pack("HHHH", order["rows"], order["columns"], 0, 0)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, size)
    return pid, terminal


def read(terminal, seconds):
    """What has come, or None at its end."""
    if not select.select([terminal], [], [], seconds)[0]:
        return b""
    try:
        return os.read(terminal, 65536) or None
    except OSError:
        return None


def stopped(pid):
    """True once the program sleeps after Ctrl-Z."""
    with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
        return stat.read().rsplit(")", 1)[1].split()[0] == "T"


def wait(terminal, seen, holds):
    """Reads until it holds; fails after the time."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not holds(seen):
        if time.monotonic() > end:
            raise TimeoutError(f"not seen in {PATIENCE_SECONDS} s: {seen!r}")
        part = read(terminal, 0.05)
        if part is None:
            break
        seen += part
    return seen


def main():
    order = json.load(sys.stdin)
    pid, terminal = start(order)
    seen = b""
    for step in order["steps"]:
        if "until" in step:
            pattern = re.compile(step["until"].encode())
            seen = wait(terminal, seen, pattern.search)
        elif "send" in step:
            os.write(terminal, step["send"].encode())
        elif "stopped" in step:
            seen = wait(terminal, seen, lambda _: stopped(pid))
        else:
            os.kill(pid, getattr(signal, step["signal"]))
    while (part := read(terminal, 1)) is not None:
        seen += part
    _, status = os.waitpid(pid, 0)
    json.dump({"output": seen.decode(errors="replace"), "code": os.waitstatus_to_exitcode(status)}, sys.stdout)


main()
