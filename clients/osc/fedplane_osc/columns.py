"""How values of federations are shown: as in the specification for people, as they are for programs."""

import argparse
from collections.abc import Sequence
from typing import Any, TextIO

from cliff.columns import FormattableColumn
from cliff.formatters.table import TableFormatter


class MembersColumn(FormattableColumn[list[str]]):
    """`['<uuid>', '<uuid>']`."""

    def human_readable(self) -> str:
        """Give the list in Python's form, as the specification has it."""
        return str(self._value)


class PropertiesColumn(FormattableColumn[dict[str, str]]):
    """`dns=cluster.local`, with commas between several."""

    def human_readable(self) -> str:
        """Give the pairs sorted by key."""
        return ", ".join(f"{key}={value}" for key, value in sorted(self._value.items()))


class ReasonColumn(FormattableColumn[str | None]):
    """A text, or a dash where there is none."""

    def human_readable(self) -> str:
        """Give the text."""
        return self._value or "-"


class PropertyTable(TableFormatter):
    """The table of one object, with the headings of the specification: Property and Value. Cliff's has Field."""

    def emit_one(
        self, column_names: Sequence[str], data: Sequence[Any], stdout: TextIO, parsed_args: argparse.Namespace
    ) -> None:
        """Print a row for each column."""
        self.emit_list(("Property", "Value"), zip(column_names, data, strict=True), stdout, parsed_args)
