"""Checks of our own for schemathesis: its own ones, less what the contract wants otherwise."""

import json
import os

import schemathesis
from schemathesis.specs.openapi import checks


def _is_lenient(name: str, value: object, attributes: dict) -> bool:
    """Whether a value that the document does not have is taken all the same, as Magnum does (magnum-rest.md sections 0.7 and 2)."""
    if value is None or value == "":
        return True
    kind = attributes.get(name, {}).get("type")
    if kind == "boolean":
        return not isinstance(value, bool) and str(value).lower() in ("0", "1", "true", "false")
    return kind == "integer" and isinstance(value, str) and value.isdecimal()


def _attributes(case) -> dict:
    content = case.operation.definition.raw.get("requestBody", {}).get("content", {})
    schema = content.get("application/json", {}).get("schema", {})
    forms = schema.get("anyOf", [schema])
    return {name: attribute for form in forms for name, attribute in form.get("properties", {}).items()}


@schemathesis.check
def wrong_data_is_refused(ctx, response, case):
    """Null and "" count as absent, text may stand for booleans and integers: the document does not say so at each attribute."""
    if isinstance(case.body, dict):
        attributes = _attributes(case)
        if any(_is_lenient(name, value, attributes) for name, value in case.body.items()):
            return None
    return checks.negative_data_rejection(ctx, response, case)


@schemathesis.check
def other_methods_are_refused(ctx, response, case):
    """Magnum answers 400 for a method whose path lacks an id, or has one too many (magnum-rest.md 13.4)."""
    if response.status_code == 400 and response.request.method in ("POST", "PATCH", "DELETE"):
        return None
    return checks.unsupported_method(ctx, response, case)


@schemathesis.check
def allow_header_is_right(ctx, response, case):
    """A cluster may be named "detail": then it is changed and deleted at the path of the detailed list."""
    if case.operation.path.endswith("/detail"):
        return None
    return checks.allow_header_conformance(ctx, response, case)


@schemathesis.check
def deleted_is_gone(ctx, response, case):
    """Work goes on after a 204: until it is done, the resource says that it is being deleted."""
    if '"status":"DELETE_IN_PROGRESS"' in response.text:
        return None
    return checks.use_after_free(ctx, response, case)


# What there is at the server, so that requests come to something: nobody finds a name or a signing request by chance. By operation: parameters
# of its path (also for all, "*"; of a list each value is taken once, for what is deleted), attributes of its body (null leaves one out) and
# paths for the operations of its patch. Where a body is led, the version is one that has the operation.
_THERE = json.loads(os.environ.get("FEDPLANE_THERE", "null"))
_VERSION = "OpenStack-API-Version"


def _take(value):
    if isinstance(value, list):
        return value.pop(0) if value else None
    return value


def _lead_path(case, label):
    for name, value in (_THERE["path"]["*"] | _THERE["path"].get(label, {})).items():
        if name in case.path_parameters and (taken := _take(value)) is not None:
            case.path_parameters[name] = taken


def _lead_attributes(body, label):
    for name, value in _THERE["body"].get(label, {}).items():
        if value is None:
            body.pop(name, None)
        else:
            body[name] = value


def _lead_patch(operations, label):
    paths = _THERE["patch"].get(label, [])
    for operation in operations:
        if paths and isinstance(operation, dict) and "path" in operation:
            operation["path"] = paths[len(str(operation)) % len(paths)]


@schemathesis.hook
def before_call(context, case, kwargs):
    if _THERE is None:
        return
    label = case.operation.label
    _lead_path(case, label)
    if case.meta is None or case.meta.generation.mode.is_negative:
        return
    if _VERSION in case.headers or label in _THERE["body"]:
        case.headers[_VERSION] = "container-infra latest"
    if isinstance(case.body, dict):
        _lead_attributes(case.body, label)
    elif isinstance(case.body, list):
        _lead_patch(case.body, label)
