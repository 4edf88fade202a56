"""The list of all agents as a frame."""

from collections.abc import Iterator

import polars as pl

from permove import _core, plugins
from permove.agents.specs import find
from permove.common.errors import InputError
from permove.common.terminal import note


def agents() -> pl.DataFrame:
    """Return all agents: those of the catalogue, and plug-ins of installed packages.

    The columns are `agent` (its name in specs), `title` (its name in papers), `parameters` with their defaults,
    `paper`, `complete`, `optimal`, `about` and `counts` (what is counted as expanded and touched).

        pm.agents().filter(pl.col("paper").str.contains("rtaa-2006"))
    """
    return pl.DataFrame(
        [
            {
                "agent": info.name,
                "title": info.title,
                "parameters": ", ".join(f"{parameter.name}={parameter.default}" for parameter in info.params),
                "paper": info.paper,
                "complete": info.complete,
                "optimal": info.optimal,
                "about": info.about,
                "counts": info.counts,
            }
            for info in (*_core.catalogue(), *_offered())
        ]
    )


def _offered() -> Iterator[_core.AgentInfo | plugins.Plugin]:
    """Yield the agents of installed packages; broken ones are reported and skipped."""
    for name in plugins.offered():
        try:
            yield find(name)
        except InputError as error:
            note(f"skipped: {error}")
