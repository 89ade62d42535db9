"""Runs Python for a test that is written in another language: one JSON request a line on standard input, one JSON answer a line.

A request is {"run": CODE}. Its names stay for the next one; the value of its last line, when that is an expression, is in the answer:
{"value": ...}, or {"error": {"type": ..., "message": ...}}. What CODE prints goes to standard error.
"""

import ast
import json
import sys
import traceback


def evaluate(code: str, names: dict) -> object:
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<test>", "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), "<test>", "eval"), names)


def answer(request: dict, names: dict) -> str:
    try:
        return json.dumps({"value": evaluate(request["run"], names)})
    except Exception as error:
        traceback.print_exc()
        return json.dumps({"error": {"type": type(error).__name__, "message": str(error)}})


def main() -> None:
    answers, sys.stdout = sys.stdout, sys.stderr
    names: dict = {"__name__": "test"}
    for line in sys.stdin:
        print(answer(json.loads(line), names), file=answers, flush=True)


main()
