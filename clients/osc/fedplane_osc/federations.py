"""The verbs of `openstack coe federation` for federations.

Names, options and columns are those of Magnum's federation specification (REST API impact). What it does not have
follows `openstack coe cluster` and fedplane's API: `--wait`, `--member`, `--driver`, `--no-property`, `--force` and
`--workloads`.
"""

import argparse
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from osc_lib.command import command
from osc_lib.exceptions import CommandError

from fedplane_osc.api import Federations
from fedplane_osc.columns import MembersColumn, PropertiesColumn, PropertyTable, ReasonColumn
from fedplane_osc.options import (
    add_federation,
    add_property,
    add_unjoin_options,
    add_wait_options,
    check_wait_options,
    positive,
)
from fedplane_osc.wait import Waiter, require_done, require_joined, said

T = TypeVar("T")


def pointer(key: str) -> str:
    """Give the path of a property in a JSON Patch (RFC 6901)."""
    return "/properties/" + key.replace("~", "~0").replace("/", "~1")


class CreateFederation(command.Command):
    """Create a federation in a cluster, and join members to it."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the options of the verb."""
        parser = super().get_parser(prog_name)
        parser.epilog = "Example: openstack coe federation create fleet --hostcluster hub --wait"
        parser.add_argument("name", metavar="<name>", help="Name of the federation to create.")
        parser.add_argument(
            "--hostcluster",
            required=True,
            metavar="<cluster>",
            help="Name or uuid of the cluster that hosts the federation's control plane.",
        )
        parser.add_argument(
            "--member",
            action="append",
            dest="members",
            metavar="<cluster>",
            help="Name or uuid of a cluster to join at once (repeat for several).",
        )
        parser.add_argument(
            "--driver",
            metavar="<driver>",
            help="What the federation is made with, such as karmada@1; without it the server's default.",
        )
        add_property(parser, "Property of the federation, or option of its driver (repeat for several).")
        add_wait_options(parser)
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> None:
        """Create it."""
        check_wait_options(parsed_args)
        federations = Federations(self.app)
        wanted = {
            "name": parsed_args.name,
            "hostcluster_id": parsed_args.hostcluster,
            "member_ids": parsed_args.members,
            "driver": parsed_args.driver,
            "properties": parsed_args.properties,
        }
        uuid = federations.create({key: value for key, value in wanted.items() if value is not None})
        print(f"Request to create federation {uuid} accepted")
        if parsed_args.wait:
            waiter = Waiter(self.app, federations, parsed_args)
            made = waiter.until_changed(uuid, parsed_args.name)
            require_done(made)
            # A create whose control plane came up is complete, also without some of its members.
            require_joined(made.members, f"Federation {made.name} is {made.status}, but not with all members. ")
            print(f"Federation {made.name} is {made.status}.")


class UpdateFederation(command.Command):
    """Change properties of a federation."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the options of the verb."""
        parser = super().get_parser(prog_name)
        parser.epilog = "Example: openstack coe federation update --property dns=cluster.local fleet"
        add_federation(parser)
        add_property(parser, "Property to add or change (repeat for several).")
        parser.add_argument(
            "--no-property",
            action="append",
            default=[],
            dest="removed",
            metavar="<key>",
            help="Property to remove (repeat for several).",
        )
        add_wait_options(parser)
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> None:
        """Send one patch with all changes."""
        check_wait_options(parsed_args)
        ident, properties, removed = parsed_args.federation, parsed_args.properties or {}, parsed_args.removed
        both = sorted(properties.keys() & set(removed))
        if both:
            raise CommandError(f"{', '.join(both)} is both set and removed: give one of --property and --no-property.")
        if not properties and not removed:
            raise CommandError("Nothing to change: give --property <key>=<value> or --no-property <key>.")
        operations: list[dict[str, str]] = [
            {"op": "add", "path": pointer(key), "value": value} for key, value in properties.items()
        ]
        operations += [{"op": "remove", "path": pointer(key)} for key in removed]
        federations = Federations(self.app)
        uuid = federations.patch(ident, operations)
        print(f"Request to update federation {ident} has been accepted.")
        if parsed_args.wait:
            seen = Waiter(self.app, federations, parsed_args).until_changed(uuid, ident)
            require_done(seen)
            print(f"Federation {seen.name} is {seen.status}.")


class DeleteFederation(command.Command):
    """Delete federations: their members unjoin, then the control planes go. The clusters stay."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the options of the verb."""
        parser = super().get_parser(prog_name)
        parser.epilog = "Example: openstack coe federation delete fleet --wait"
        parser.add_argument(
            "federations", nargs="+", metavar="<federation>", help="Name or uuid of the federation(s) to delete."
        )
        add_unjoin_options(parser)
        add_wait_options(parser)
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> None:
        """Delete all of them; one that can't be deleted does not keep the others."""
        check_wait_options(parsed_args)
        federations = Federations(self.app)
        waiter = Waiter(self.app, federations, parsed_args)
        alone = len(parsed_args.federations) == 1
        accepted: list[tuple[str, str]] = []

        def delete(ident: str) -> None:
            # Another federation may have the name once this one is gone.
            uuid = federations.get(ident).uuid if parsed_args.wait else ident
            federations.delete(uuid, parsed_args.force, parsed_args.workloads)
            print(f"Request to delete federation {ident} has been accepted.")
            accepted.append((uuid, ident))

        def await_end(deleted: tuple[str, str]) -> None:
            left = waiter.until_idle(*deleted)
            if left is not None:
                raise CommandError(f"Federation {left.name} is {left.status}: {said(left.reason)}")
            print(f"Federation {deleted[1]} is deleted.")

        failed = self._each(delete, parsed_args.federations, alone)
        if parsed_args.wait:
            failed += self._each(await_end, accepted, alone)
        if failed:
            raise CommandError(f"{failed} of {len(parsed_args.federations)} federations failed to delete.")

    def _each(self, act: Callable[[T], None], things: Iterable[T], alone: bool) -> int:
        """Do it for all, and count those that it failed for. The error of one that is alone passes."""
        failed = 0
        for thing in things:
            try:
                act(thing)
            except CommandError as error:
                if alone:
                    raise
                self.log.error("%s", error)
                failed += 1
        return failed


class ListFederation(command.Lister):
    """List federations, with their membership."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the options of the verb."""
        parser = super().get_parser(prog_name)
        parser.epilog = "Example: openstack coe federation list --sort-key name -f json"
        parser.add_argument(
            "--limit", type=positive, metavar="<limit>", help="Maximum number of federations to return; all without it."
        )
        parser.add_argument(
            "--marker", metavar="<uuid>", help="Uuid of the last federation of the page before: begin after it."
        )
        parser.add_argument("--sort-key", metavar="<sort-key>", help="Attribute to sort by, on the server.")
        parser.add_argument("--sort-dir", choices=["desc", "asc"], help='Direction to sort. "asc" or "desc".')
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[Sequence[str], Iterable[Any]]:
        """Read page after page."""
        query = {key: getattr(parsed_args, key) for key in ("marker", "sort_key", "sort_dir")}
        found = Federations(self.app).list(parsed_args.limit, query)
        rows = ((it.uuid, it.name, len(it.member_ids), it.status) for it in found)
        return ("uuid", "name", "members", "status"), rows


class ShowFederation(command.ShowOne):
    """Show a federation."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the options of the verb."""
        parser = super().get_parser(prog_name)
        parser.epilog = "Example: openstack coe federation show fleet -f value -c status"
        add_federation(parser)
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[Sequence[str], Iterable[Any]]:
        """Read it."""
        seen = Federations(self.app).get(parsed_args.federation)
        shown = {
            "uuid": seen.uuid,
            "name": seen.name,
            "hostcluster": seen.hostcluster_id,
            "members": MembersColumn(seen.member_ids),
            "project_id": seen.project_id,
            "properties": PropertiesColumn(seen.properties),
            "status": seen.status,
            "status_reason": ReasonColumn(seen.reason),
        }
        return tuple(shown), tuple(shown.values())

    def produce_output(self, parsed_args: argparse.Namespace, column_names: Sequence[str], data: Sequence[Any]) -> int:
        """Print the table with the headings of the specification."""
        given = self.formatter
        if parsed_args.formatter == "table":
            self.formatter = PropertyTable()
        try:
            return super().produce_output(parsed_args, column_names, data)
        finally:
            # The client compares it afterwards, for --timing.
            self.formatter = given
