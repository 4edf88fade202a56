"""The published Table 1, and the measured sample of each of its rows."""

import math
from dataclasses import dataclass

import polars as pl

from permove.agents.specs import parse
from permove.analysis.statistics import Values, ratio_error, standard_error
from permove.papers.outcome import Column

METHODS = RTAA, LRTA, DSTAR_LITE, FORWARD, BACKWARD = "RTAA*", "LRTA*", "D* Lite", "Forward A*", "Backward A*"

AGENTS = {
    RTAA: "rtaa(k={k}, ties=random)",
    LRTA: "klrta(k={k}, moves=inf, ties=random)",
    DSTAR_LITE: "dstar-lite(ties=random)",
    FORWARD: "lra(ties=random)",
    BACKWARD: "backward-astar(ties=random)",
}
"""The agents of the paper's methods. Among states with the best f, each takes one with the largest g."""

LOOKAHEADS = (*range(1, 90, 8), math.inf)

COLUMNS = (
    Column("b", "total number of cell expansions", judged=True),
    Column("c", "total number of search episodes"),
    Column("d", "trajectory cost", judged=True),
    Column("e", "actions per search episode"),
    Column("f", "total search time in µs", timed=True),
    Column("g", "search time per search episode in µs", timed=True),
    Column("h", "search time per action in µs", timed=True),
    Column("i", "increase of heuristics per update"),
)

PRINTED = ("b", "b ±", "c", "d", "d ±", "e", "f", "f ±", "g", "h", "i")
"""The numbers of a row after its lookahead: columns and the standard errors of three of them."""

PUBLISHED = """
RTAA*         1  248537.79  5454.11 248537.79 248537.79 5454.11 1.00   48692.17   947.08   0.20   0.20 1.00
RTAA*         9  104228.97  2196.69  11583.50  56707.84 1248.70 4.90   23290.36   360.77   2.01   0.41 2.40
RTAA*        17   85866.45  1701.83   5061.92  33852.77  774.35 6.69   22100.20   301.99   4.37   0.65 3.10
RTAA*        25   89257.66  1593.02   3594.51  26338.21  590.00 7.33   24662.64   310.42   6.86   0.94 3.30
RTAA*        33   96839.84  1675.46   2975.65  22021.81  521.77 7.40   27994.45   350.79   9.41   1.27 3.28
RTAA*        41  105702.99  1699.20   2639.59  18628.66  435.06 7.06   31647.50   382.30  11.99   1.70 3.08
RTAA*        49  117035.65  1806.59   2473.55  16638.27  390.09 6.73   35757.69   428.17  14.46   2.15 2.90
RTAA*        57  128560.04  1939.38   2365.94  15366.63  361.95 6.49   39809.02   477.72  16.83   2.59 2.79
RTAA*        65  138640.02  2019.98   2270.38  14003.74  314.38 6.17   43472.99   517.36  19.15   3.10 2.63
RTAA*        73  150254.51  2176.68   2224.29  13399.01  309.72 6.02   47410.44   567.88  21.31   3.54 2.57
RTAA*        81  160087.23  2269.20   2172.94  12283.65  270.03 5.65   50932.60   608.94  23.44   4.15 2.39
RTAA*        89  172166.56  2436.73   2162.75  12078.40  261.16 5.58   54874.88   663.96  25.37   4.54 2.37
RTAA*       inf  642823.02 20021.00   1815.92   5731.20   81.72 3.16  226351.59  7310.53 124.65  39.49 4.22
LRTA*         1  248537.79  5454.11 248537.79 248537.79 5454.11 1.00   67252.19  1354.67   0.27   0.27 1.00
LRTA*         9   87613.37  1865.31   9737.38  47290.61 1065.07 4.86   27286.14   437.09   2.80   0.58 2.93
LRTA*        17   79312.59  1540.44   4676.76  30470.32  698.08 6.52   29230.15   409.96   6.25   0.96 3.61
LRTA*        25   82850.86  1495.61   3338.86  23270.38  551.75 6.97   34159.80   450.49  10.23   1.47 3.74
LRTA*        33   92907.75  1548.37   2858.19  20015.55  472.86 7.00   40900.68   516.47  14.31   2.04 3.71
LRTA*        41  102787.86  1619.33   2570.83  17274.12  403.65 6.72   47559.60   587.96  18.50   2.75 3.54
LRTA*        49  113139.63  1716.88   2396.66  15398.47  360.45 6.42   54324.06   665.02  22.67   3.53 3.38
LRTA*        57  125013.41  1829.10   2307.68  14285.14  328.39 6.19   61590.97   744.33  26.69   4.31 3.25
LRTA*        65  133863.67  1956.49   2201.60  13048.50  300.69 5.93   67482.95   829.44  30.65   5.17 3.12
LRTA*        73  146549.69  2080.76   2181.76  12457.92  277.60 5.71   74868.92   909.31  34.32   6.01 3.02
LRTA*        81  157475.45  2209.65   2150.04  11924.96  262.61 5.55   81469.32   989.84  37.89   6.83 2.95
LRTA*        89  166040.29  2355.33   2102.91  11324.72  246.94 5.39   86883.98  1077.54  41.32   7.67 2.88
LRTA*       inf  348072.76  7021.57   1791.19   5611.09   80.43 3.13  203645.42  3782.37 113.69  36.29 8.20
D*-Lite       -   47458.83   581.03   1776.24   5637.46   77.03 3.17   37291.83   378.20  20.99   6.62    -
Forward-A*    - 1857468.48 68324.90   1732.07   5354.26   76.91 3.09  544065.45 21565.61 314.11 101.61    -
Backward-A*   - 5245087.82 93697.15   1795.72   5535.05   77.09 3.08 1698163.04 31051.10 945.67 306.80    -
"""

Published = tuple[float, float | None]
"""A value with its standard error, if the paper gives one."""


@dataclass(frozen=True)
class Row:
    """A row of the table: a method, and its lookahead if it has one."""

    method: str
    lookahead: float | None = None

    @property
    def name(self) -> str:
        """Its name in reports."""
        return self.method if self.lookahead is None else f"{self.method} {lookahead_text(self.lookahead)}"

    @property
    def agent(self) -> str:
        """The canonical spec of its agent."""
        return parse(AGENTS[self.method].format(k=self.lookahead and f"{self.lookahead:g}")).spec


def published() -> dict[Row, dict[str, Published]]:
    """Return every published value by row and column."""
    return dict(map(_printed, PUBLISHED.strip().splitlines()))


def _printed(line: str) -> tuple[Row, dict[str, Published]]:
    method, lookahead, *words = line.split()
    row = Row(method.replace("-", " "), None if lookahead == "-" else float(lookahead))
    found = {key: float(word) for key, word in zip(PRINTED, words, strict=True) if word != "-"}
    return row, {key: (found[key], found.get(f"{key} ±")) for key in "bcdefghi" if key in found}


MEANS = {"b": "expansions", "c": "episodes", "d": "cost", "f": "time_us"}
RATIOS = {
    "e": ("cost", "episodes"),
    "g": ("time_us", "episodes"),
    "h": ("time_us", "cost"),
    "i": ("learned", "updates"),
}
"""The columns of a sample behind those of the table. Ratios are those of totals, not means of single mazes."""


@dataclass(frozen=True)
class Sample:
    """The records of the agent of one row, maze by maze, in the same order for all rows."""

    expansions: Values
    episodes: Values
    cost: Values
    time_us: Values
    learned: Values
    updates: Values

    @staticmethod
    def of(records: pl.DataFrame) -> "Sample":
        """Return the records of one agent as a sample."""
        time_us = pl.col("time_ns") / 1000
        columns = records.sort("map").select("expanded", "episodes", "moves", time_us, "learned", "updates")
        return Sample(*(column.cast(pl.Float64).to_numpy() for column in columns))

    def figure(self, column: str) -> tuple[float, float]:
        """Return a column of the table and its standard error."""
        if column in MEANS:
            values = self.values(column)
            return float(values.mean()), standard_error(values)
        over, under = (getattr(self, name) for name in RATIOS[column])
        return (float(over.sum() / under.sum()), ratio_error(over, under)) if under.any() else (math.nan, math.nan)

    def values(self, column: str) -> Values:
        """Return the values of a column of means, maze by maze."""
        values: Values = getattr(self, MEANS[column])
        return values

    def __getitem__(self, column: str) -> float:
        return self.figure(column)[0]


class Samples(dict[Row, Sample]):
    """The samples of all rows, and how many of the runs reached the goal."""

    runs = solved = 0


def lookahead_text(lookahead: float) -> str:
    """Return a lookahead for a report."""
    return "∞" if math.isinf(lookahead) else f"{lookahead:g}"
