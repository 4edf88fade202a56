"""`permove agents`: list the catalogue, or show one agent."""

from typing import Annotated

import polars as pl
import typer
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from permove import _core, plugins
from permove.agents.listing import agents as listed
from permove.agents.specs import find
from permove.cli.options import FormatOption, OutputOption
from permove.report.formats import Format, plain_table, show

EXAMPLES = (
    "permove agents",
    "permove agents rtaa",
    "permove agents mine.py:Mine",
    "permove agents --format md",
)

Info = _core.AgentInfo | plugins.Plugin


def agents(
    name: Annotated[str | None, typer.Argument(help="Agent to show, which may be a plug-in.", metavar="NAME")] = None,
    format: FormatOption = Format.TABLE,
    output: OutputOption = None,
) -> None:
    """List the agents, or show one with its parameters.

    The page of an agent contains the ranges and defaults of its parameters, its paper, and what is counted.
    """
    if name is None:
        frame = listed()
        # Only some columns fit a terminal.
        table = plain_table(frame.select("agent", "title", "parameters", "paper"), "Agents")
        show(frame, "Agents", format, output, table=table)
    else:
        info = find(name)
        frame = _parameters(info)
        show(frame, info.title, format, output, table=_page(info, frame))


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
