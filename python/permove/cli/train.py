"""`permove train`: train decision trees that choose the lookahead depth of LRTA*."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import polars as pl
import typer

from permove.cli.options import FormatOption, with_options
from permove.common.terminal import console
from permove.control import train as start
from permove.report.formats import Format, show
from permove.report.trees_table import trees_table

EXAMPLES = (
    "permove train embedded --limit 300 -o dt.tree",
    "permove run --limit 100 -a 'lrta(d=dt, tree=dt.tree)' 'lrta(d={oracle,4,8})'",
    "permove train movingai/wc3maps512 --map gnollwood theglaive --limit 200 --dmax 10 15 20 --leaf 25 -o dt.tree",
    "permove train embedded --limit 300 --features 2007 --dmax 10 -o dt-2007.tree",
)


OutputOption = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        help="Tree file to write; with several --dmax one file for each, as in dt-20.tree.",
        metavar="FILE",
    ),
]
DepthsOption = Annotated[
    list[int] | None,
    typer.Option(
        "--dmax",
        help="Maximum depth; one tree for each (default: 20).",
        metavar="D...",
    ),
]
FeaturesOption = Annotated[
    str,
    typer.Option("--features", help="Features of dynamic-control-2008 (f1 to f11), or of 2007.", metavar="2008|2007"),
]
PruningOption = Annotated[
    float | None,
    typer.Option(
        "--ccp-alpha",
        help="Prune by X bits per leaf and move (default: chosen by cross-validation).",
        metavar="X",
    ),
]


@with_options("maps", "limit", "seed", "jobs")
def train(
    suite: Annotated[str, typer.Argument(help="Problems to learn from; see `permove suites`.", metavar="SUITE")],
    output: OutputOption,
    *,
    dmax: DepthsOption = None,
    features: FeaturesOption = "2008",
    n: Annotated[
        int | None,
        typer.Option("--n", help="Number of last moves to use (default: 60; 2007: 20).", metavar="N"),
    ] = None,
    leaf: Annotated[
        int | None,
        typer.Option("--leaf", help="Minimum number of moves in a leaf (default: 100; 2007: 200).", metavar="N"),
    ] = None,
    presearch: Annotated[
        int | None,
        typer.Option("--presearch", help="Depth of the pre-search for f5 to f11 (default: 1).", metavar="N"),
    ] = None,
    moves: Annotated[
        int | None,
        typer.Option("--moves", help="Learn from N random moves instead of all, which is faster.", metavar="N"),
    ] = None,
    alpha: Annotated[
        float | None,
        typer.Option(
            help="Stop a trial when its travel exceeds A times the optimal cost (default: never).", metavar="A"
        ),
    ] = None,
    ccp_alpha: PruningOption = None,
    format: FormatOption = Format.TABLE,
    **options: Any,
) -> None:
    """Train decision trees that choose the depth of LRTA*.

    LRTA* solves the problems of a suite with the moves of a search to the maximum depth. For every move, the tree
    learns the smallest depth such that all deeper searches choose the same move. Its features describe a shallow
    pre-search and the last moves (dynamic-control-2008, Section 5.1 and Appendix A).

    The table shows the accuracy in ten-fold cross-validation, and as “majority” the accuracy of always choosing the
    most frequent depth. Cross-validation also chooses `ccp_alpha`, which prunes the tree.

    The agent `lrta(d=dt, tree=FILE)` uses a tree, on any map. `lrta(d=oracle, dmax=D)` always chooses the correct
    depth. Test a tree on problems that it was not trained on: with another `--seed`, or on other maps.
    """
    try:
        trained = start(
            suite,
            output,
            dmax=dmax or 20,
            features=features,
            n=n,
            presearch=presearch,
            leaf=leaf,
            moves=moves,
            alpha=alpha,
            ccp_alpha=ccp_alpha,
            **options,
        )
    except KeyboardInterrupt:
        console(stderr=True).print("permove: interrupted; unfinished trees are not written", soft_wrap=True)
        raise typer.Exit(130) from None
    frame, title = pl.DataFrame([asdict(tree) for tree in trained]), f"Decision trees from {suite}"
    show(frame, title, format, None, table=trees_table(frame, title))
