"""Waiting until the server has done what was asked for, and what has become of it."""

import argparse
import math
import sys
import time
from collections.abc import Sequence
from typing import Any

from osc_lib.exceptions import CommandError

from fedplane_osc.api import Federation, Federations, Member, NoContactError, NotFoundError

# Between two requests: soon at first, for what takes a moment, then seldom, for what takes minutes.
PAUSE_FIRST_SECONDS = 0.5
PAUSE_MAX_SECONDS = 5.0
PAUSE_GROWTH = 1.3

# How long a server may not answer. It may be restarted meanwhile.
NO_CONTACT_SECONDS = 60.0


class Waiter:
    """Reads federations until the server is done with them, and prints on standard error what it does meanwhile."""

    def __init__(self, app: Any, federations: Federations, parsed_args: argparse.Namespace) -> None:
        """Begin the time of `--timeout`; without it as long as the server works."""
        self._federations = federations
        self._quiet = app.options.verbose_level == 0
        self._timeout: int | None = parsed_args.timeout
        self._begin = time.monotonic()

    def until_idle(self, uuid: str, name: str) -> Federation | None:
        """Give the federation once it is no longer in progress, or None once it is gone.

        `name` is what to call it. Ctrl-C says how to go on, and passes.
        """
        try:
            return self._until_idle(uuid, name)
        except KeyboardInterrupt:
            print(f"\nStopped waiting. {_goes_on(uuid)}", file=sys.stderr)
            raise

    def until_changed(self, uuid: str, name: str) -> Federation:
        """Give the federation once it is no longer in progress; raise CommandError when it is gone."""
        seen = self.until_idle(uuid, name)
        if seen is None:
            raise CommandError(f"Federation {name} is gone: it was deleted meanwhile.")
        return seen

    def _until_idle(self, uuid: str, name: str) -> Federation | None:
        pause, said, contact = PAUSE_FIRST_SECONDS, "", time.monotonic()
        while True:
            try:
                seen = self._federations.get(uuid)
            except NotFoundError:
                return None
            except NoContactError as error:
                if time.monotonic() - contact > NO_CONTACT_SECONDS:
                    unknown = f"What became of {name} is not known; to look again: {_show(uuid)}"
                    raise CommandError(f"{error} {unknown}") from error
                state = f"no answer ({error})"
            else:
                contact = time.monotonic()
                if not seen.in_progress:
                    return seen
                state = f"{seen.status}: {seen.reason}" if seen.reason else seen.status
            if state != said and not self._quiet:
                print(f"{name}: {state}", file=sys.stderr)
            said = state
            self._require_time(uuid, f"{name} is not done after {self._timeout} s: {state.removesuffix('.')}.")
            time.sleep(min(pause, self._left()))
            pause = min(pause * PAUSE_GROWTH, PAUSE_MAX_SECONDS)

    def _left(self) -> float:
        return math.inf if self._timeout is None else self._begin + self._timeout - time.monotonic()

    def _require_time(self, uuid: str, sentence: str) -> None:
        if self._left() <= 0:
            raise CommandError(f"{sentence} {_goes_on(uuid)}")


def _goes_on(uuid: str) -> str:
    return f"The server goes on; to see how far it is: {_show(uuid)}"


def _show(uuid: str) -> str:
    return f"openstack coe federation show {uuid}"


def require_done(federation: Federation) -> None:
    """Raise CommandError, with the `status_reason`, for one whose last change failed."""
    if federation.failed:
        raise CommandError(f"Federation {federation.name} is {federation.status}: {said(federation.reason)}")


def require_joined(members: Sequence[Member], before: str = "") -> None:
    """Raise CommandError for those that are no members, each with its message; `before` is said first."""
    require_none([member for member in members if member.state not in ("Ready", "Degraded")], before)


def require_none(members: Sequence[Member], before: str = "") -> None:
    """Raise CommandError for members that should not be there, each with its message; `before` is said first."""
    if members:
        sentences = " ".join(f"Cluster {it.name} is {it.state}: {said(it.message)}" for it in members)
        raise CommandError(before + sentences)


def said(text: str | None) -> str:
    """Give what the server says of a failure."""
    return text or "the server gives no reason."
