"""`permove select`: search the space of real-time search algorithms, and select from it per map and per problem."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from permove import data
from permove.cli.options import EXECUTION, FormatOption, OutputOption, SeedOption, examples_help, takes
from permove.common.errors import InputError
from permove.common.files import write_whole
from permove.common.terminal import Bar, console
from permove.report.formats import Format
from permove.report.formats import show as report
from permove.runs.run import Interrupted, Run
from permove.select import Exploration, Matrix, Selected
from permove.select import explore as start
from permove.select import per_map as select_per_map
from permove.select import per_problem as select_per_problem
from permove.select.explore import ALGORITHMS, ALPHA, BATCH, PROBLEMS, SUITE, Optimizer
from permove.select.practical import practical as choose_practically
from permove.select.selection import FACTORED_PROBLEMS
from permove.select.space import Lop
from permove.select.tables import (
    exploration_svg,
    exploration_table,
    practice_table,
    practice_title,
    selected_svg,
    selected_table,
    selected_title,
)

app = typer.Typer(
    name="select",
    help="Search the space of real-time search algorithms, and select from it per map and per problem.\n\n"
    "`explore` runs algorithms; the other commands read what it left (per-map-selection-2016).",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)

RunsArgument = Annotated[
    list[Path], typer.Argument(help="Run folders of `permove select explore`; together one.", metavar="RUN...")
]
PictureOption = Annotated[
    Path | None, typer.Option("--picture", help="Draw it into this file, too.", metavar="FILE.svg")
]
TrialsOption = Annotated[int, typer.Option("--trials", help="How often to split at random.", metavar="N")]


@app.command(
    epilog=examples_help(
        "permove select explore embedded@free -n 40 -p 100",
        "permove select explore -n 1500 -p 4500 --batch 1500 --out matrix",
        "permove select explore -n 750 --first 750 -p 4500 --batch 1500 --out second-half",
        "permove select explore embedded@free -n 200 -p 100 --batch 40 --optimizer evolution --picture space.svg",
    )
)
@takes(*EXECUTION)
def explore(
    suite: Annotated[str, typer.Argument(help="The problems; `permove suites` lists what there is.")] = SUITE,
    *,
    algorithms: Annotated[
        int, typer.Option("--algorithms", "-n", help="How many algorithms to run.", metavar="N")
    ] = ALGORITHMS,
    problems: Annotated[
        int, typer.Option("--problems", "-p", help="On how many random problems each.", metavar="P")
    ] = PROBLEMS,
    batch: Annotated[
        int,
        typer.Option(
            "--batch",
            help="So many algorithms share a sample of problems; N gives the full matrix to select from.",
            metavar="B",
        ),
    ] = BATCH,
    alpha: Annotated[float, typer.Option("--alpha", help="Most travel, in optimal costs.", metavar="A")] = ALPHA,
    seed: SeedOption = 0,
    first: Annotated[
        int, typer.Option("--first", help="Begin with this algorithm: the others run elsewhere.", metavar="K")
    ] = 0,
    lop: Annotated[
        Lop,
        typer.Option(
            help="How the learning operator is drawn: rounded from [1, 4], so that min and max come half as often, as "
            "the paper probably did, or all alike.",
            show_choices=True,
        ),
    ] = Lop.ROUNDED,
    optimizer: Annotated[
        Optimizer,
        typer.Option(
            help="All algorithms at random, or generations: the best fifth of a batch live on, the others are mutants "
            "of theirs.",
            show_choices=True,
        ),
    ] = Optimizer.RANDOM,
    picture: PictureOption = None,
    format: FormatOption = Format.TABLE,
    output: OutputOption = None,
    **execution: Any,
) -> None:
    """Let algorithms of the space w·lop_b(wc·c+h)+da+E walk random problems, and tell how good they are.

    Each batch of algorithms has a sample of problems of its own; RTA* and daLRTA*+E walk the first sample, too. The
    table has the mean of the algorithms, what share of them is better than that and than those two, the best one, and
    what choosing the best for every problem would give; below it is the histogram of the paper's Figure 2.

    With `--optimizer evolution` a batch is a generation: the best fifth live on, and the others are mutants of theirs,
    with normal steps in w, wc and b and now and then another lop, da or E. That suits a landscape that is measured with
    noise and has numbers, kinds and switches for its axes: it needs no slopes, and who lives on is measured anew, on
    other problems, so that luck does not last.

    The exploration is a run: Ctrl-C keeps what was done, and the same command goes on from there. The same seed gives
    the same algorithms and problems everywhere, so that machines can share the work by `--first`.
    """
    _check_picture(picture)
    try:
        found = start(
            suite,
            algorithms=algorithms,
            problems=problems,
            batch=batch,
            alpha=alpha,
            seed=seed,
            first=first,
            lop=lop,
            optimizer=optimizer,
            command=sys.argv,
            **execution,
        )
    except KeyboardInterrupt as interruption:
        # Between two batches nothing knows how much there is.
        is_known = isinstance(interruption, Interrupted)
        said = interruption if is_known else "interrupted: what was done is kept; the same command goes on from there"
        console(stderr=True).print(f"permove: {said}", soft_wrap=True)
        raise typer.Exit(130) from None
    _tell(found, picture, format, output)
    console(stderr=True).print(f"Records: {found.folder}", soft_wrap=True)


@app.command(
    epilog=examples_help("permove select show matrix", "permove select show first-half second-half --picture space.svg")
)
def show(
    runs: RunsArgument,
    picture: PictureOption = None,
    format: FormatOption = Format.TABLE,
    output: OutputOption = None,
) -> None:
    """Show again what explorations came to, also several together: the table and the histogram of `explore`."""
    _check_picture(picture)
    _tell(Exploration.of([Run(folder) for folder in runs]), picture, format, output)


@app.command(
    epilog=examples_help(
        "permove select per-map matrix", "permove select per-map first-half second-half --picture figure-3.svg"
    )
)
def per_map(
    runs: RunsArgument,
    trials: TrialsOption = 100,
    seed: SeedOption = 0,
    factored: Annotated[
        int | None,
        typer.Option(
            "--factored", help="In how many trials to factor values, too; 0 for none.", show_default="all", metavar="N"
        ),
    ] = None,
    picture: PictureOption = None,
    format: FormatOption = Format.TABLE,
    output: OutputOption = None,
) -> None:
    """Tell what it is worth to select an algorithm for each map.

    In each trial two thirds of the maps are old and the others new. “prior” takes what was best on the old ones,
    “sample” the best of those algorithms that were run on the new map, “exhaustive” the best of all; “factorization”
    predicts from the sampled values what the others would be. A row is a share of the new values that is present:
    those of the paper, and those at which as many algorithms are run as in its Table 1. Means are weighted by the
    number of problems on each map.
    """
    _check_picture(picture)
    with _interruptible():
        matrix = Matrix.of([Run(folder) for folder in runs])
        selected = select_per_map(matrix, trials, seed, factored=factored)
    _tell_selected(selected, picture, format, output)


@app.command(
    epilog=examples_help(
        "permove select per-problem matrix",
        "permove select per-problem first-half second-half --picture figure-4.svg",
    )
)
def per_problem(
    runs: RunsArgument,
    trials: TrialsOption = 100,
    seed: SeedOption = 0,
    factored: Annotated[
        int, typer.Option("--factored", help="In how many trials to factor values, too; 0 for none.", metavar="N")
    ] = FACTORED_PROBLEMS,
    picture: PictureOption = None,
    format: FormatOption = Format.TABLE,
    output: OutputOption = None,
) -> None:
    """Tell what it is worth to select an algorithm for each problem.

    As `permove select per-map`, with problems in the place of maps. “nearest” selects without running anything on the
    new problem: what was best on the old problems of the same map whose starts and goals are nearest.
    """
    _check_picture(picture)
    with _interruptible():
        opened = [Run(folder) for folder in runs]
        matrix = _placed(Matrix.of(opened), opened[0])
        selected = select_per_problem(matrix, trials, seed, factored=factored)
    _tell_selected(selected, picture, format, output)


@app.command(epilog=examples_help("permove select practical matrix", "permove select practical matrix --trials 5"))
def practical(
    runs: RunsArgument,
    trials: TrialsOption = 20,
    seed: SeedOption = 0,
    format: FormatOption = Format.TABLE,
    output: OutputOption = None,
) -> None:
    """Tell what it is worth to choose an algorithm for each problem by its features alone, on maps never seen.

    Nothing is run before the choice: distances, walls and narrow places around start and goal and between them, and a
    way on the map's abstraction take microseconds, and a forest trained on other maps predicts from them which of a
    dozen algorithms does best. “prior” and “exhaustive” are those of `permove select per-problem`, “portfolio” is the
    best of the dozen for each problem: the most that any such choice could reach.
    """
    with _interruptible():
        opened = [Run(folder) for folder in runs]
        matrix, suite = Matrix.of(opened), _suite(opened[0])
        found = choose_practically(matrix.placed(suite), suite, trials, seed)
    report(found.frame, practice_title(found), format, output, table=practice_table(found))


@contextmanager
def _interruptible() -> Iterator[None]:
    """Selecting only reads, so that whoever stops it loses nothing."""
    try:
        yield
    except KeyboardInterrupt:
        console(stderr=True).print("permove: interrupted; nothing was written", soft_wrap=True)
        raise typer.Exit(130) from None


def _suite(run: Run) -> data.Suite:
    """The suite that a run walked."""
    facts = run.manifest.suite
    with Bar(f"loading {facts.name}", None, shown=sys.stderr.isatty()) as bar:
        suite = data.load(facts.name, bar.advance)
        if suite.fingerprint != facts.fingerprint:
            raise InputError(f"the suite {facts.name} is not the one that {run.folder} walked; explore it anew")
    return suite


def _placed(matrix: Matrix, run: Run) -> Matrix:
    """The matrix with starts and goals, where the suite is there that has them."""
    try:
        return matrix.placed(_suite(run))
    except InputError as error:
        console(stderr=True).print(f"permove: “nearest” is left out: {error}", soft_wrap=True)
        return matrix


def _tell(found: Exploration, picture: Path | None, format: Format, output: Path | None) -> None:
    report(found.summary, found.title, format, output, table=exploration_table(found))
    if picture is not None:
        write_whole(picture, exploration_svg(found).encode())


def _tell_selected(selected: Selected, picture: Path | None, format: Format, output: Path | None) -> None:
    report(selected.frame, selected_title(selected), format, output, table=selected_table(selected))
    if picture is not None:
        write_whole(picture, selected_svg(selected).encode())


def _check_picture(picture: Path | None) -> None:
    """A picture that cannot be written is refused before hours of work."""
    if picture is None:
        return
    if picture.suffix != ".svg":
        raise InputError(f"the picture {picture} is to be an SVG file; name it so, as in {picture.stem}.svg")
    if not picture.parent.is_dir():
        raise InputError(f"there is no folder {picture.parent}; make it first")
