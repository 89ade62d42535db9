"""Federations of Magnum's API, through the HTTP client of python-magnumclient.

That client authenticates, finds the endpoint and sends the microversion. It has no manager of federations (5.0.0), so
the requests are here.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Literal, Protocol, TypeVar
from urllib.parse import quote, urlencode

from keystoneauth1 import exceptions as keystone
from magnumclient import exceptions as magnum
from osc_lib.exceptions import CommandError

PATH = "/v1/federations"

# Most that one page of the API holds.
PAGE_MAX = 1000

# The API answers in less (API Gateway ends a request after 30 s), so that nothing hangs on a server that does.
TIMEOUT_SECONDS = 60

Workloads = Literal["keep", "delete"]
Parsed = TypeVar("Parsed")


class HttpClient(Protocol):
    """What is used of magnumclient's `SessionClient`."""

    def json_request(self, method: str, url: str, **kwargs: Any) -> tuple[Any, Any]:
        """Send a request, and give the response and its body read as JSON."""

    def get_endpoint(self) -> str | None:
        """Give the URL that paths are appended to."""


class NoContactError(CommandError):
    """The server did not answer, or not now: a later try may succeed."""


class NotFoundError(CommandError):
    """The server knows no such federation, or no such cluster."""


@dataclass(frozen=True)
class Member:
    """A membership, as `members` of a federation lists it."""

    cluster_id: str
    name: str
    # Waiting, Joining, Ready, Degraded, Leaving, JoinFailed or UnjoinFailed.
    state: str
    message: str | None


@dataclass(frozen=True)
class Federation:
    """A federation. Items of a list lack `members`, `project_id` and `status_reason`."""

    uuid: str
    name: str
    hostcluster_id: str
    member_ids: list[str]
    status: str
    properties: dict[str, str]
    project_id: str | None
    status_reason: str | None
    members: list[Member]

    @property
    def in_progress(self) -> bool:
        """Whether the server still works on it."""
        return self.status.endswith("_IN_PROGRESS")

    @property
    def failed(self) -> bool:
        """Whether the last change of it failed."""
        return self.status.endswith("_FAILED")

    @property
    def reason(self) -> str | None:
        """The server's `status_reason`, or after a success without one the sentence of the specification."""
        action, _, outcome = self.status.partition("_")
        if self.status_reason is None and outcome == "COMPLETE":
            return f"Federation {action} completed successfully"
        return self.status_reason


# Control characters, and those that break lines or change the direction of writing.
_UNSHOWN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def shown(text: str) -> str:
    """Give the text without what would steer a terminal or look like a line of its own."""
    return _UNSHOWN.sub(" ", text)


def _maybe(text: str | None) -> str | None:
    return None if text is None else shown(text)


def _member(item: Mapping[str, Any]) -> Member:
    return Member(shown(item["cluster_id"]), shown(item["name"]), shown(item["state"]), _maybe(item.get("message")))


def _federation(item: Mapping[str, Any]) -> Federation:
    return Federation(
        uuid=shown(item["uuid"]),
        name=shown(item["name"]),
        hostcluster_id=shown(item["hostcluster_id"]),
        member_ids=[shown(ident) for ident in item["member_ids"]],
        status=shown(item["status"]),
        properties={shown(key): shown(value) for key, value in item["properties"].items()},
        project_id=_maybe(item.get("project_id")),
        status_reason=_maybe(item.get("status_reason")),
        members=[_member(member) for member in item.get("members", [])],
    )


def _uuid(answer: Mapping[str, Any]) -> str:
    return shown(answer["uuid"])


def _path(ident: str) -> str:
    # As segments of a path they would lead elsewhere. No name has a slash.
    if ident in ("", ".", "..") or "/" in ident:
        raise CommandError(
            f'"{ident}" is no name or uuid of a federation. `openstack coe federation list` has those that are there.'
        )
    return f"{PATH}/{quote(ident, safe='')}"


def _choices(force: bool, workloads: Workloads | None) -> str:
    given = {**({"force": "true"} if force else {}), **({"workloads": workloads} if workloads else {})}
    return f"?{urlencode(given)}" if given else ""


# The server is busy, or something between does not reach it.
_PASSING = (429, 502, 503, 504)


def _explained(error: magnum.HttpError) -> CommandError:
    """Give the error for the terminal: the server's own sentences, which say what to do, and the status."""
    if error.http_status == HTTPStatus.UNAUTHORIZED:
        # In Keystone's form the title is but "Unauthorized".
        return CommandError(shown(f"{error.details or error.message} (HTTP 401)"))
    said = shown(str(error))
    if error.http_status == HTTPStatus.NOT_FOUND:
        return NotFoundError(f"{said} See what there is: openstack coe federation list, openstack coe cluster list.")
    return NoContactError(said) if error.http_status in _PASSING else CommandError(said)


class Federations:
    """The requests, each with errors of one line that says what to try.

    All methods raise CommandError: NoContactError when the server did not answer, NotFoundError for a 404.
    """

    def __init__(self, app: Any) -> None:
        """Take the magnumclient of the running `openstack`."""
        self._http: HttpClient = app.client_manager.container_infra.http_client

    def create(self, attributes: Mapping[str, Any]) -> str:
        """Create a federation.

        :returns: its uuid
        """
        return self._parsed(self._request("POST", PATH, attributes), _uuid)

    def get(self, ident: str) -> Federation:
        """Read one by its name or uuid."""
        return self._parsed(self._request("GET", _path(ident)), _federation)

    def list(self, limit: int | None, query: Mapping[str, str | None]) -> list[Federation]:
        """Read `limit` of them, or all, page by page. `query` has marker, sort_key and sort_dir."""
        found: list[Federation] = []
        given = {key: value for key, value in query.items() if value is not None}
        while limit is None or len(found) < limit:
            size = PAGE_MAX if limit is None else min(limit - len(found), PAGE_MAX)
            answer = self._request("GET", f"{PATH}?{urlencode({**given, 'limit': size})}")
            page = self._parsed(answer, lambda it: [_federation(item) for item in it["federations"]])
            found += page
            # The path of `next` may have a prefix that the client knows from the endpoint, so only its marker is taken.
            if not page or not answer.get("next"):
                break
            if given.get("marker") == page[-1].uuid:
                raise self._no_magnum("a list that does not end")
            given["marker"] = page[-1].uuid
        return found

    def patch(
        self,
        ident: str,
        operations: Sequence[Mapping[str, Any]],
        force: bool = False,
        workloads: Workloads | None = None,
    ) -> str:
        """Change members and properties by a JSON Patch.

        :returns: the federation's uuid, which stays its own where its name may not
        """
        answer = self._request("PATCH", _path(ident) + _choices(force, workloads), operations)
        return self._parsed(answer, _uuid)

    def delete(self, ident: str, force: bool = False, workloads: Workloads | None = None) -> None:
        """Begin to delete one."""
        self._request("DELETE", _path(ident) + _choices(force, workloads))

    def _request(self, method: str, url: str, body: object = None) -> Any:
        given = {} if body is None else {"body": body}
        try:
            _, answer = self._http.json_request(method, url, timeout=TIMEOUT_SECONDS, **given)
        except keystone.EndpointNotFound as error:
            raise CommandError(
                "The address of container-infra is not known. Name it with --os-endpoint URL, which ends in /v1, for "
                "the auth types none and admin_token; with Keystone, `openstack catalog list` has what there is."
            ) from error
        except keystone.SSLError as error:
            raise CommandError(
                f"The certificate of {self._endpoint()} is not trusted. Name its CA with --os-cacert FILE; "
                "--debug shows the cause."
            ) from error
        except keystone.ConnectionError as error:
            raise NoContactError(
                f"{self._endpoint()} does not answer. Check that the server runs there, or name another with "
                "--os-endpoint; --debug shows the cause."
            ) from error
        except magnum.HttpError as error:
            raise _explained(error) from error
        except (AttributeError, IndexError, KeyError, TypeError) as error:
            # magnumclient reads no error bodies of other forms than Magnum's, such as a gateway's {"message": …}.
            raise self._no_magnum("an error that is not of Magnum's form") from error
        return answer

    def _parsed(self, answer: Any, parse: Callable[[Any], Parsed]) -> Parsed:
        try:
            return parse(answer)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise self._no_magnum("something that is no federation") from error

    def _endpoint(self) -> str:
        return str(self._http.get_endpoint())

    def _no_magnum(self, what: str) -> CommandError:
        return NoContactError(
            f"{self._endpoint()} answered with {what}. Check that the endpoint is that of fedplane and ends in /v1; "
            "--debug shows the answer."
        )
