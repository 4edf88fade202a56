"""`permove agents`: list the catalogue, or show one agent."""

from textwrap import shorten
from typing import Annotated

import polars as pl
import typer
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from permove import _core, plugins
from permove.agents.listing import agents as listed
from permove.agents.specs import find
from permove.cli import completion
from permove.cli.options import FormatOption, OutputOption
from permove.report.formats import Format, plain_table, show

EXAMPLES = (
    "permove agents",
    "permove agents rtaa",
    "permove agents mine.py:Mine",
    "permove agents --format md",
)

MAX_PARAMETERS = 40
"""Maximum number of letters of the names of an agent's parameters in the list."""

Info = _core.AgentInfo | plugins.Plugin


def agents(
    name: Annotated[
        str | None,
        typer.Argument(help="Agent to show, which may be a plug-in.", metavar="NAME", autocompletion=completion.agents),
    ] = None,
    format: FormatOption = Format.TABLE,
    output: OutputOption = None,
) -> None:
    """List the agents, or show one with its parameters.

    The page of an agent contains the ranges and defaults of its parameters, its paper, and what is counted.
    """
    if name is None:
        frame = listed()
        show(frame, "Agents", format, output, table=_overview(frame))
    else:
        info = find(name)
        frame = _parameters(info)
        show(frame, info.title, format, output, table=_page(info, frame))


def _overview(agents: pl.DataFrame) -> RenderableType:
    """Return one line per agent, so that all fit on a screen; `permove agents NAME` has the rest."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True, min_width=agents["agent"].str.len_chars().to_numpy().max())
    table.add_column(no_wrap=True, min_width=agents["title"].str.len_chars().to_numpy().max())
    table.add_column(no_wrap=True, overflow="ellipsis")
    for name, title, parameters in agents.select("agent", "title", "parameters").iter_rows():
        names = ", ".join(parameter.partition("=")[0] for parameter in parameters.split(", "))
        table.add_row(name, title, shorten(names, MAX_PARAMETERS, placeholder=" ..."))
    return Group(table, Text("permove agents NAME describes an agent, its parameters and its paper."))


def _parameters(info: Info) -> pl.DataFrame:
    rows = [(parameter.name, parameter.default, parameter.range, parameter.about) for parameter in info.params]
    return pl.DataFrame(rows, schema=dict.fromkeys(("parameter", "default", "range", "about"), pl.String), orient="row")


def _page(info: Info, parameters: pl.DataFrame) -> RenderableType:
    promises = [
        "reaches the goal of every solvable problem" if info.complete else "may never reach the goal",
        "with the sensor all by a shortest path" if info.optimal else "not by a shortest path in general",
    ]
    if isinstance(info, plugins.Plugin):
        promises = ["as stated by its author"]
    facts = {"Paper": info.paper or "–", "Promises": ", ".join(promises), "Counted": info.counts}
    page: list[RenderableType] = [
        Text.assemble((info.name, "bold"), "  ", info.title),
        Padding(Text(info.about), (1, 0)),
        *(Text.assemble((f"{fact}: ", "bold"), text) for fact, text in facts.items()),
    ]
    if not parameters.is_empty():
        page += [Text(), plain_table(parameters, "Parameters")]
    return Group(*page)
