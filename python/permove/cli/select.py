"""`permove select`: explore the space of real-time search algorithms, and select from it."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from permove.cli.interrupts import report_interrupt
from permove.cli.options import (
    EXECUTION,
    FormatOption,
    OutputOption,
    ReportFormatOption,
    SeedOption,
    examples_help,
    with_options,
)
from permove.common.errors import InputError
from permove.common.extras import require
from permove.common.files import write_atomic
from permove.common.terminal import console
from permove.report.formats import Format, ReportFormat
from permove.report.formats import show as report
from permove.runs.run import Interrupted, Run
from permove.select import Exploration, Matrix, Selected
from permove.select import explore as start
from permove.select import per_map as select_per_map
from permove.select import per_problem as select_per_problem
from permove.select.choices import check_file
from permove.select.choose import SAMPLED, TRIALS
from permove.select.choose import choose as choose_for_map
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
    help="Explore the space of algorithms and select from it.\n\n`explore` runs random real-time search algorithms. "
    "The other commands read its runs (per-map-selection-2016).",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
)

RunsArgument = Annotated[
    list[Path], typer.Argument(help="Run folders of `permove select explore`, read as one run.", metavar="RUN")
]
PictureOption = Annotated[
    Path | None, typer.Option("--picture", help="Also draw the result to this file.", metavar="FILE.svg")
]
ChoicesOption = Annotated[
    Path | None,
    typer.Option(
        "--choices",
        help="Also write the algorithm for each map or problem, with its scores, to this file (.csv or .json).",
        metavar="FILE",
    ),
]
TrialsOption = Annotated[int, typer.Option("--trials", help="Number of random splits.", metavar="N")]


@app.command(
    epilog=examples_help(
        "permove select explore embedded@free -n 40 -p 100",
        "permove select explore -n 1500 -p 4500 --batch 1500 --out matrix",
        "permove select explore -n 750 --first 750 -p 4500 --batch 1500 --out second-half",
        "permove select explore embedded@free -n 200 -p 100 --batch 40 --optimizer evolution --picture space.svg",
    )
)
@with_options(*EXECUTION)
def explore(
    suite: Annotated[str, typer.Argument(help="Problems; see `permove suites`.", metavar="SUITE")] = SUITE,
    *,
    algorithms: Annotated[
        int, typer.Option("--algorithms", "-n", help="Number of algorithms to run.", metavar="N")
    ] = ALGORITHMS,
    problems: Annotated[
        int, typer.Option("--problems", "-p", help="Number of random problems for each.", metavar="P")
    ] = PROBLEMS,
    batch: Annotated[
        int,
        typer.Option(
            "--batch",
            help="Number of algorithms that share a sample of problems; with N, all of them do.",
            metavar="B",
        ),
    ] = BATCH,
    alpha: Annotated[
        float, typer.Option(help="Stop an algorithm when its travel exceeds A times the optimal cost.", metavar="A")
    ] = ALPHA,
    seed: SeedOption = 0,
    first: Annotated[int, typer.Option(help="Start with algorithm K of the sequence.", metavar="K")] = 0,
    lop: Annotated[
        Lop,
        typer.Option(
            help="Draw the learning operator by rounding from [1, 4], as probably in the paper (min and max occur half "
            "as often), or uniformly.",
            show_choices=True,
        ),
    ] = Lop.ROUNDED,
    optimizer: Annotated[
        Optimizer,
        typer.Option(
            help="Draw all algorithms at random, or evolve them: each batch keeps and mutates the best fifth of the "
            "previous one.",
            show_choices=True,
        ),
    ] = Optimizer.RANDOM,
    picture: PictureOption = None,
    format: FormatOption = Format.TABLE,
    output: OutputOption = None,
    **execution: Any,
) -> None:
    """Run random algorithms of the space on random problems.

    The space is w·lop_b(wc·c+h)+da+E. Each batch of algorithms has its own sample of problems; RTA* and daLRTA*+E also
    run on the first sample. The table shows the mean of the algorithms, the share of them that is better than the mean
    and than these two, the best algorithm, and the mean of the best algorithm for every problem. The histogram is that
    of the paper's Figure 2.

    With `--optimizer evolution` a batch is a generation: it keeps the best fifth of the last one and adds mutated
    copies, with normal steps in w, wc and b and sometimes another lop, da or E. Evolution needs no gradients, which
    suits noisy measurements and discrete parameters. Survivors are measured again on other problems.

    The exploration is a run: Ctrl-C keeps finished records; run the same command again to resume. The same seed gives
    the same algorithms and problems everywhere, so machines can share the work with `--first`.
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
        # Between two batches the number of records is unknown.
        is_known = isinstance(interruption, Interrupted)
        generic = "interrupted: finished records are kept; run the same command again to resume"
        console(stderr=True).print(f"permove: {interruption if is_known else generic}", soft_wrap=True)
        raise typer.Exit(130) from None
    _show_exploration(found, picture, format, output)
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
    """Show the table and the histogram of explorations."""
    _check_picture(picture)
    _show_exploration(Exploration.of([Run(folder) for folder in runs]), picture, format, output)


@app.command(
    epilog=examples_help(
        "permove select per-map matrix",
        "permove select per-map matrix --choices maps.csv",
        "permove select per-map first-half second-half --picture figure-3.svg",
    )
)
def per_map(
    runs: RunsArgument,
    trials: TrialsOption = 100,
    seed: SeedOption = 0,
    factored: Annotated[
        int | None,
        typer.Option("--factored", help="Number of trials with factorization (default: all).", metavar="N"),
    ] = None,
    choices: ChoicesOption = None,
    picture: PictureOption = None,
    format: FormatOption = Format.TABLE,
    output: OutputOption = None,
) -> None:
    """Show the benefit of selecting an algorithm for each map.

    In each trial, two thirds of the maps are old and the others are new. “prior” selects the best algorithm on the old
    maps, “sample” the best of the algorithms that ran on the new map, “exhaustive” the best of all. “factorization”
    predicts the other algorithms from the sampled values. The rows differ in the share of the new values that is
    present: the shares of the paper, and those with as many algorithms as in its Table 1. Means are weighted by the
    number of problems on each map.

    The paper scores a choice on the problems by which it was made. Held-out scores are over other problems: half of the
    problems of a new map choose, and the other half scores. `--choices` writes an algorithm for each map. It is the
    best one for the map only if that beats one common choice on held-out problems.
    """
    _check_picture(picture)
    check_file(choices)
    with _interruptible():
        matrix = Matrix.of([Run(folder) for folder in runs])
        selected = select_per_map(matrix, trials, seed, factored=factored)
    _show_selected(selected, choices, picture, format, output)


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
        int, typer.Option("--factored", help="Number of trials with factorization.", metavar="N")
    ] = FACTORED_PROBLEMS,
    choices: ChoicesOption = None,
    picture: PictureOption = None,
    format: FormatOption = Format.TABLE,
    output: OutputOption = None,
) -> None:
    """Show the benefit of selecting an algorithm for each problem.

    This is `permove select per-map` with problems instead of maps. “nearest” selects without running anything on the
    new problem: the best algorithm on the old problems of the same map with the nearest starts and goals.

    Held-out scores are those of the algorithm chosen for a problem on the other new problems of its map. `--choices`
    writes an algorithm for each problem: the best one, or the common choice if that is better on held-out problems.
    """
    _check_picture(picture)
    check_file(choices)
    with _interruptible():
        opened = [Run(folder) for folder in runs]
        matrix = _placed(Matrix.of(opened), opened[0])
        selected = select_per_problem(matrix, trials, seed, factored=factored)
    _show_selected(selected, choices, picture, format, output)


@app.command(epilog=examples_help("permove select practical matrix", "permove select practical matrix --trials 5"))
def practical(
    runs: RunsArgument,
    trials: TrialsOption = 20,
    seed: SeedOption = 0,
    choices: ChoicesOption = None,
    format: FormatOption = Format.TABLE,
    output: OutputOption = None,
) -> None:
    """Show the benefit of choosing an algorithm by features.

    An algorithm is chosen for each problem on unseen maps. No algorithm runs before the choice. The features are
    distances, walls and narrow places around start and goal and between them, and a path on the map's abstraction; they
    take microseconds. A forest that was trained on other maps predicts from them the best of a dozen algorithms.
    “prior” and “exhaustive” are those of `permove select per-problem`. “portfolio” is the best of the dozen for each
    problem, the upper bound of any such choice. `--choices` writes the algorithm that is chosen for each problem, with
    its map excluded from training, or the common choice if that is better.
    """
    check_file(choices)
    with _interruptible():
        opened = [Run(folder) for folder in runs]
        matrix, suite = Matrix.of(opened), opened[0].suite(shown=sys.stderr.isatty())
        found = choose_practically(matrix.placed(suite), suite, trials, seed)
    report(found.frame, practice_title(found), format, output, table=practice_table(found))
    if choices is not None:
        found.choices.write(choices)


@app.command(
    epilog=examples_help(
        "permove select choose maps/caves-128.map --trials 20",
        "permove select choose maps/caves-128.map --from matrix --trials 50",
        "permove select choose caves-128 --from matrix --algorithms 10 --trials 12 --format json -o choice.json",
    )
)
@with_options(*EXECUTION)
def choose(
    map: Annotated[
        str, typer.Argument(help="A .map file or, with --from, the name of a map of its suite.", metavar="MAP")
    ],
    *,
    matrix: Annotated[
        list[Path] | None,
        typer.Option(
            "--from",
            help="Runs of agents on other maps, from which the agents that do not run on this map are predicted.",
            metavar="MATRIX",
        ),
    ] = None,
    trials: Annotated[int, typer.Option("--trials", help="Number of problems of the map.", metavar="N")] = TRIALS,
    algorithms: Annotated[
        int | None,
        typer.Option("--algorithms", "-n", help=f"Number of algorithms to run (default: {SAMPLED}).", metavar="K"),
    ] = None,
    seed: SeedOption = 0,
    format: ReportFormatOption = ReportFormat.TABLE,
    output: OutputOption = None,
    **execution: Any,
) -> None:
    """Choose an algorithm for a new map.

    A sample of the agents of MATRIX, any runs that share their problems, runs on N problems of the map: random problems
    on a file, or a sample of those of the suite. The other agents are predicted by factorization, as in the paper. The
    output is the best agent with an interval and the cost of finding it. It is recommended only if it beats the agent
    that is best on the other maps, on problems of the map by which it was not chosen. Without `--from`, random
    algorithms of the space run, and nothing is predicted; the common choice is then daLRTA*+E.
    """
    with report_interrupt():
        found = choose_for_map(
            map,
            [Run(folder) for folder in matrix or ()],
            trials=trials,
            algorithms=algorithms,
            seed=seed,
            command=sys.argv,
            **execution,
        )
    found.show(format, output)
    console(stderr=True).print(f"Records: {found.run.folder}", soft_wrap=True)


@contextmanager
def _interruptible() -> Iterator[None]:
    """End an interrupted selection, which only reads, without a traceback."""
    try:
        yield
    except KeyboardInterrupt:
        console(stderr=True).print("permove: interrupted; nothing was written", soft_wrap=True)
        raise typer.Exit(130) from None


def _placed(matrix: Matrix, run: Run) -> Matrix:
    """Return the matrix with starts and goals if the suite is available."""
    try:
        return matrix.placed(run.suite(shown=sys.stderr.isatty()))
    except InputError as error:
        console(stderr=True).print(f"permove: “nearest” is skipped: {error}", soft_wrap=True)
        return matrix


def _show_exploration(found: Exploration, picture: Path | None, format: Format, output: Path | None) -> None:
    report(found.summary, found.title, format, output, table=exploration_table(found))
    if picture is not None:
        write_atomic(picture, exploration_svg(found).encode())


def _show_selected(
    selected: Selected, choices: Path | None, picture: Path | None, format: Format, output: Path | None
) -> None:
    report(selected.frame, selected_title(selected), format, output, table=selected_table(selected))
    if choices is not None:
        selected.choices.write(choices)
    if picture is not None:
        write_atomic(picture, selected_svg(selected).encode())


def _check_picture(picture: Path | None) -> None:
    """Reject a picture that cannot be written before hours of work."""
    if picture is None:
        return
    if picture.suffix != ".svg":
        raise InputError(f"--picture {picture} is not an SVG file; use a name such as {picture.stem}.svg")
    require("plots", "drawing a picture")
    if not picture.parent.is_dir():
        raise InputError(f"the folder {picture.parent} does not exist; create it first")
