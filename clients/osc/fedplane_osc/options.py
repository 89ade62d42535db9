"""Options and arguments that several verbs have."""

import argparse

from osc_lib.cli.parseractions import KeyValueAction
from osc_lib.exceptions import CommandError


def positive(text: str) -> int:
    """Read an option that is a whole number from 1 on."""
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f'"{text}" is no whole number from 1 on')
    return int(text)


def add_federation(parser: argparse.ArgumentParser) -> None:
    """Add the argument `<federation>`."""
    parser.add_argument("federation", metavar="<federation>", help="Name or uuid of the federation.")


def add_clusters(parser: argparse.ArgumentParser, what: str) -> None:
    """Add the arguments `<cluster>`."""
    parser.add_argument("clusters", nargs="+", metavar="<cluster>", help=what)


def add_property(parser: argparse.ArgumentParser, what: str) -> None:
    """Add `--property`, into `properties`: a dictionary, or None without it."""
    parser.add_argument("--property", action=KeyValueAction, dest="properties", metavar="<key=value>", help=what)


def add_unjoin_options(parser: argparse.ArgumentParser) -> None:
    """Add `--force` and `--workloads`, parameters of the API of the same names."""
    parser.add_argument(
        "--force",
        action="store_true",
        help="Also go on where a cluster can't be reached. status_reason and events say what is left in it.",
    )
    parser.add_argument(
        "--workloads",
        choices=["keep", "delete"],
        help="What becomes of the workloads that the federation brought into the members; kept without it.",
    )


def add_wait_options(parser: argparse.ArgumentParser) -> None:
    """Add `--wait` and `--timeout`."""
    parser.add_argument(
        "--wait",
        action="store_true",
        help="Wait until the server is done; exit 1 and say why if it fails. Ctrl-C ends the waiting, not the work.",
    )
    parser.add_argument(
        "--timeout",
        type=positive,
        metavar="<seconds>",
        help="With --wait: exit 1 after so many seconds. Without it the bounds of the server's operations count.",
    )


def check_wait_options(parsed_args: argparse.Namespace) -> None:
    """Raise CommandError for a `--timeout` of nothing."""
    if parsed_args.timeout is not None and not parsed_args.wait:
        raise CommandError("--timeout bounds the waiting: give --wait, too, or leave it out.")
