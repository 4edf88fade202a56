"""`permove panels`: list the named sets of baselines."""

import polars as pl

from permove.agents.panels import PANELS
from permove.agents.specs import expand_all
from permove.cli.options import FormatOption, OutputOption
from permove.report.formats import Format, plain_table, show

EXAMPLES = (
    "permove panels",
    "permove panels --format md",
)


def panels(format: FormatOption = Format.TABLE, output: OutputOption = None) -> None:
    """List the panels, which are named sets of baselines.

    `permove run --panel NAME` runs the agents of a panel.
    """
    frame = pl.DataFrame(
        [
            {
                "panel": panel.name,
                "agents": len(expand_all(panel.specs)),
                "about": panel.about,
                "specs": list(panel.specs),
            }
            for panel in PANELS.values()
        ]
    )
    show(frame, "Panels", format, output, table=plain_table(frame.select("panel", "agents", "about"), "Panels"))
