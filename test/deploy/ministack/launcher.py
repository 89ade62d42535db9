"""Starts MiniStack with six things of AWS that it lacks. Its settings are environment variables (see ../support/emulator.ts).

1. AWS reports the `name` of an error that a Lambda function throws as `errorType`; the state machines' `ErrorEquals` depend on it. MiniStack
   says `Runtime.HandlerError` of every one. Here its node worker also sends the name, which is then put into the error's body.
2. Policies of buckets and queues that CDK makes deny requests without TLS. The emulator listens on loopback without it, so the condition
   `aws:SecureTransport` is answered as if it had it.
3. Conditions on `kms:EncryptionContext:<name>` see the encryption context of the request.
4. Functions reach HTTPS servers on loopback, as the clusters of a test are: the worker would speak plain HTTP with them.
5. CloudFormation makes alarms over metric math, which MiniStack refuses, and composite alarms, which it does not know. Here an alarm over an
   expression is kept as one over the first of its metrics; no alarm is judged by its metric in the tests.
6. CloudFormation keeps what a resource needs whose deletion failed. MiniStack goes on and deletes it, so that a custom resource that refused to
   be deleted would have lost its function.

It refuses to start with a release whose worker reads otherwise, so that an upgrade is noticed.
"""

import contextvars
import json
import threading

from ministack.app import main
from ministack.core import iam_actions, iam_evaluator, lambda_runtime
from ministack.services import cloudformation, cloudwatch, lambda_svc
from ministack.services.cloudformation import provisioners, stacks

# What the worker sends when a handler's promise is rejected, and when loading or calling it throws.
REJECTED = 'status: "error", error: String(err.message || err), trace: err.stack || ""'
THREW = 'status: "error", error: e.message, trace: e.stack'


# Where the worker takes the TLS away from a request to this machine, for custom resources whose URL has no port.
DOWNGRADE = 'if (host === "127.0.0.1" || host === "localhost" || host === msHost'


def edit(script: str, there: str, instead: str) -> str:
    if script.count(there) != 1:
        raise SystemExit("launcher.py: this release of MiniStack has another node worker than 1.5.33; look at it, then adapt this file.")
    return script.replace(there, instead)


def adapt_worker() -> None:
    """Lets the node worker add `errorType` to what it sends about an error, and leave HTTPS to a port of this machine alone."""
    script = lambda_runtime._NODEJS_WORKER_SCRIPT
    for sent, error in ((REJECTED, "err"), (THREW, "e")):
        script = edit(script, sent, f'{sent}, errorType: ({error} && {error}.name) || "Error"')
    lambda_runtime._NODEJS_WORKER_SCRIPT = edit(script, DOWNGRADE, DOWNGRADE.replace("if (", "if (options.port ? false : "))


def tell_names() -> None:
    """Puts the name into the body of the answer, where HTTP, state machines and callers of the function look for it."""
    seen = threading.local()
    ask_worker = lambda_runtime.Worker.invoke
    run_function = lambda_svc._execute_function_warm

    def ask_and_remember(worker, *args, **kwargs):
        answer = ask_worker(worker, *args, **kwargs)
        seen.name = answer.get("errorType") if answer.get("status") == "error" else None
        return answer

    def run_and_name(*args, **kwargs):
        seen.name = None
        answer = run_function(*args, **kwargs)
        body = answer.get("body")
        if answer.get("error") and seen.name and isinstance(body, dict) and "errorType" in body:
            body["errorType"] = seen.name
        return answer

    lambda_runtime.Worker.invoke = ask_and_remember
    lambda_svc._execute_function_warm = run_and_name


class AlwaysTls:
    """Stands for the variable that holds where a request came from, and whether by TLS."""

    def __init__(self, variable):
        self.variable = variable

    def get(self):
        return self.variable.get()[0], True

    def set(self, value):
        return self.variable.set(value)


def tell_encryption_context() -> None:
    """Lets policies of KMS look at the request's encryption context."""
    asked = contextvars.ContextVar("encryption_context", default={})
    find_resource = iam_actions.extract_resource_arn
    decide = iam_evaluator.evaluate

    def find_and_remember(service, method, path, headers, body, *more):
        given = json.loads(body or b"{}").get("EncryptionContext") if service == "kms" else None
        asked.set({f"kms:encryptioncontext:{name}".lower(): value for name, value in (given or {}).items()})
        return find_resource(service, method, path, headers, body, *more)

    def decide_with_context(context, *policies):
        context.service_context.update(asked.get())
        return decide(context, *policies)

    iam_actions.extract_resource_arn = find_and_remember
    iam_evaluator.evaluate = decide_with_context


def make_alarms() -> None:
    """Lets stacks have alarms over metric math and composite alarms."""
    record_plain = provisioners._cw_metric_alarm_record

    def record(name, props):
        stats = [metric["MetricStat"] for metric in props.get("Metrics") or [] if metric.get("MetricStat")]
        if not stats:
            return record_plain(name, props)
        first = stats[0]["Metric"]
        plain = {key: value for key, value in props.items() if key != "Metrics"}
        return record_plain(name, {**plain, "MetricName": first["MetricName"], "Namespace": first["Namespace"]})

    def put_composite(logical_id, props, stack_name):
        name = props["AlarmName"]
        status, _, body = cloudwatch._put_composite_alarm({}, props, False, is_json=True)
        if status != 200:
            raise ValueError(f"AWS::CloudWatch::CompositeAlarm {name}: {body!r}")
        return name, {"Arn": cloudwatch._composite_alarms[name]["AlarmArn"]}

    def update_composite(physical_id, old_props, new_props, stack_name):
        return put_composite("", new_props, stack_name)

    def delete_composite(physical_id, props):
        cloudwatch._composite_alarms.pop(physical_id, None)

    handlers = provisioners._RESOURCE_HANDLERS
    if "AWS::CloudWatch::CompositeAlarm" in handlers:
        raise SystemExit("launcher.py: this release of MiniStack knows composite alarms; take ours out.")
    handlers["AWS::CloudWatch::CompositeAlarm"] = {
        "create": put_composite,
        "update": update_composite,
        "delete": delete_composite,
    }
    provisioners._cw_metric_alarm_record = record


def keep_what_is_needed() -> None:
    """Lets a stack keep what a resource needs that could not be deleted."""
    delete = stacks._delete_resource
    refused: dict[str, set[str]] = {}

    def delete_unless_needed(resource_type, physical_id, props, stack_name, logical_id):
        stack = cloudformation._stacks.get(stack_name) or {}
        definitions = (stack.get("_template") or {}).get("Resources", {})
        left = refused.setdefault(stack_name, set())
        others = left - {logical_id}
        if logical_id in stacks._with_dependencies(sorted(others), definitions, set(stack.get("_resources", {}))) - others:
            raise ValueError(f"{logical_id} is needed by {', '.join(sorted(others))}.")
        try:
            delete(resource_type, physical_id, props, stack_name, logical_id)
        except Exception:
            left.add(logical_id)
            raise
        left.discard(logical_id)

    stacks._delete_resource = delete_unless_needed


if __name__ == "__main__":
    adapt_worker()
    tell_names()
    tell_encryption_context()
    make_alarms()
    keep_what_is_needed()
    iam_evaluator._request_origin = AlwaysTls(iam_evaluator._request_origin)
    main()
