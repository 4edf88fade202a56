"""Figures 5 to 8 and Table 2: published next to measured."""

from permove.papers.dynamic_control import figures as shared
from permove.papers.dynamic_control.algorithms import DT_G, F_G, K_LRTA, ORACLE_G, P_LRTA, PDB_G
from permove.papers.dynamic_control.figures import CUTOFF, Plane, planning_figure, suboptimality_figure
from permove.papers.dynamic_control.study import Evidence
from permove.papers.dynamic_control_2007.algorithms import INTERMEDIATE, MIXED, PR_LRTS, UPSCALED_CAP
from permove.papers.outcome import Shown

MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0

TABLE_2_SIZES = (1.1e10, 7.4e8, 5.9e7, 6.1e6, 8.6e5, 1.5e5, 3.1e4, 6.4e3)
TABLE_2_SECONDS = (365 * DAY, 30 * DAY, 4 * DAY, 19 * HOUR, 5 * HOUR, 2 * HOUR, 50 * MINUTE, 20 * MINUTE)
"""From level 0; the first three are estimates."""

TABLE_2 = {3: (1.09, 5), 4: (1.11, 16), 5: (1.65, 111), 6: (1.99, 253), 7: (3.12, 529)}
"""By level, suboptimality and states per move."""

ACCURACY = {5: 0.72, 20: 0.44}
"""Accuracy of classifiers by d_max."""

DETECTOR = (
    "The conference paper does not mention a state re-entrance detector. Without one, intermediate goals lead some "
    "agents in circles, so that the detector of the later paper is used: from a re-visited state the agent makes a "
    "move for the global goal, as deep as the cap."
)
MARGINS = (F_G, DT_G, ORACLE_G, PDB_G)
GOALS = (F_G, PDB_G, MIXED, INTERMEDIATE)
CONTROL = (F_G, DT_G, PDB_G, INTERMEDIATE)
STATE_OF_THE_ART = (F_G, DT_G, INTERMEDIATE, K_LRTA, PR_LRTS, P_LRTA)
FIGURES = {
    5: Plane(MARGINS, size="original", log=False, lines=MARGINS, compared=(DT_G, PDB_G), accuracy=ACCURACY),
    6: Plane(GOALS, size="original", lines=GOALS, notes=[DETECTOR]),
    7: Plane(CONTROL, lines=CONTROL, notes=[DETECTOR]),
    8: Plane(STATE_OF_THE_ART, CUTOFF, notes=[shared.KOENIG, DETECTOR]),
}


def table_2(evidence: Evidence) -> Shown:
    """Pattern databases for a 512×512 map."""
    figures = shared.database_figures(evidence, "subgoals", TABLE_2_SIZES, TABLE_2_SECONDS)
    for level, (suboptimality, planning) in TABLE_2.items():
        point, row = evidence.upscaled.find(INTERMEDIATE(level, UPSCALED_CAP)), f"ℓ = {level}"
        figures += [suboptimality_figure(point, row, suboptimality), planning_figure(point, row, planning)]
    columns = (shared.PAIRS, shared.SECONDS, shared.SUBOPTIMALITY, shared.PLANNING)
    return Shown(columns, (("pairs", "seconds"), ("suboptimality",), ("planning",)), figures, notes=[DETECTOR])
