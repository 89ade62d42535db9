"""The verbs of `openstack coe federation` for members."""

import argparse
from collections.abc import Sequence

from osc_lib.command import command

from fedplane_osc.api import Federation, Federations, Member
from fedplane_osc.options import (
    add_clusters,
    add_federation,
    add_unjoin_options,
    add_wait_options,
    check_wait_options,
)
from fedplane_osc.wait import Waiter, require_joined, require_none


def named(federation: Federation, clusters: Sequence[str]) -> list[Member]:
    """Give the memberships of the clusters with these names or uuids."""
    return [member for member in federation.members if member.name in clusters or member.cluster_id in clusters]


class JoinFederation(command.Command):
    """Join clusters to a federation."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the options of the verb."""
        parser = super().get_parser(prog_name)
        parser.epilog = "Example: openstack coe federation join fleet edge-1 edge-2 --wait"
        add_federation(parser)
        add_clusters(parser, "Name or uuid of the cluster(s) to join to it.")
        add_wait_options(parser)
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> None:
        """Join all of them by one request."""
        check_wait_options(parsed_args)
        ident, clusters = parsed_args.federation, parsed_args.clusters
        federations = Federations(self.app)
        uuid = federations.patch(ident, [{"op": "add", "path": "/member_ids", "value": clusters}])
        print(f"Request to join {', '.join(clusters)} to federation {ident} has been accepted.")
        if parsed_args.wait:
            seen = Waiter(self.app, federations, parsed_args).until_changed(uuid, ident)
            require_joined(named(seen, clusters))
            print(f"Federation {seen.name} is {seen.status}, with {', '.join(clusters)}.")


class UnjoinFederation(command.Command):
    """Unjoin clusters from a federation. The clusters stay."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the options of the verb."""
        parser = super().get_parser(prog_name)
        parser.epilog = "Example: openstack coe federation unjoin fleet edge-2 --wait"
        add_federation(parser)
        add_clusters(parser, "Name or uuid of the cluster(s) to unjoin from it.")
        add_unjoin_options(parser)
        add_wait_options(parser)
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> None:
        """Unjoin all of them by one request."""
        check_wait_options(parsed_args)
        ident, clusters = parsed_args.federation, parsed_args.clusters
        federations = Federations(self.app)
        operation = {"op": "remove", "path": "/member_ids", "value": clusters}
        uuid = federations.patch(ident, [operation], parsed_args.force, parsed_args.workloads)
        print(f"Request to unjoin {', '.join(clusters)} from federation {ident} has been accepted.")
        if parsed_args.wait:
            seen = Waiter(self.app, federations, parsed_args).until_changed(uuid, ident)
            require_none(named(seen, clusters))
            print(f"Federation {seen.name} is {seen.status}, without {', '.join(clusters)}.")
