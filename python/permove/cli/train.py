"""`permove train`: train decision trees that choose the lookahead depth of LRTA*."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import polars as pl
import typer

from permove.cli.options import FormatOption, takes
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
        help="The tree file; with several --dmax one file for each, as in dt-20.tree for dt.tree.",
        metavar="FILE",
    ),
]
DepthsOption = Annotated[
    list[int] | None,
    typer.Option(
        "--dmax",
        help="The maximum depth, whose moves count as the best; one tree for each.",
        metavar="D...",
        show_default="20",
    ),
]
FeaturesOption = Annotated[
    str,
    typer.Option(
        "--features", help="2008: f1 to f11 of its Appendix A; 2007: the four of that paper.", metavar="2008|2007"
    ),
]
PruningOption = Annotated[
    float | None,
    typer.Option(
        "--ccp-alpha",
        help="Prune by this much, in bits per leaf and move, without cross-validation.",
        metavar="X",
        show_default="chosen by cross-validation",
    ),
]


@takes("maps", "limit", "alpha", "seed", "jobs")
def train(
    suite: Annotated[str, typer.Argument(help="The problems to learn from; `permove suites` lists all suites.")],
    output: OutputOption,
    *,
    dmax: DepthsOption = None,
    features: FeaturesOption = "2008",
    n: Annotated[
        int | None,
        typer.Option("--n", help="The number of last moves to use.", metavar="N", show_default="60, 2007: 20"),
    ] = None,
    leaf: Annotated[
        int | None,
        typer.Option("--leaf", help="Minimum moves in a leaf.", metavar="N", show_default="100, 2007: 200"),
    ] = None,
    presearch: Annotated[
        int | None,
        typer.Option("--presearch", help="Depth of the pre-search for f5 to f11.", metavar="N", show_default="1"),
    ] = None,
    moves: Annotated[
        int | None,
        typer.Option("--moves", help="Learn from N random moves, which is faster than from all.", metavar="N"),
    ] = None,
    ccp_alpha: PruningOption = None,
    format: FormatOption = Format.TABLE,
    **options: Any,
) -> None:
    """Train decision trees that choose the lookahead depth of LRTA*, and show their accuracy.

    LRTA* solves the problems of a suite with the moves of a search to the maximum depth. The tree learns, for every
    move, the shallowest depth such that all deeper searches choose the same move. Its features describe a shallow
    pre-search and the last moves (dynamic-control-2008, Section 5.1 and Appendix A). The accuracy is that of ten-fold
    cross-validation; "majority" is the accuracy of always choosing the most frequent depth. Cross-validation also
    chooses `ccp_alpha`, which prunes the tree instead of J48's pruning.

    The agent `lrta(d=dt, tree=FILE)` uses a tree, on any map; `lrta(d=oracle, dmax=D)` always chooses the right depth.
    Test a tree on other problems than it was trained on: with another `--seed`, or on other maps.
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
            ccp_alpha=ccp_alpha,
            **options,
        )
    except KeyboardInterrupt:
        console(stderr=True).print("permove: interrupted; unfinished trees are not written", soft_wrap=True)
        raise typer.Exit(130) from None
    frame, title = pl.DataFrame([asdict(tree) for tree in trained]), f"Decision trees from {suite}"
    show(frame, title, format, None, table=trees_table(frame, title))
