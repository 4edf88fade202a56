"""The algorithms of both papers by their names in the later one: families that differ in their parameters alone.

In a name such as LRTA* (X, Y), X is the control of the depth and Y the control of the goal. A decision tree is a file,
so that the spec of LRTA* (DT, G) is known only after training.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain, product

from permove.agents.specs import parse
from permove.common.errors import InputError

Number = int | float
"""A value of a parameter."""

UNCAPPED = 1000
"""Larger caps have no effect on maps of these sizes. Moves from re-visited states then use the depth stored for the
global goal (footnote 6)."""

ABSTRACTION, PATH, TIES = "aligned", "diagonal", "cardinal"
"""The abstraction of the authors' testbed, and the preferred moves of paths and agents, unstated in the papers."""


@dataclass(frozen=True)
class Family:
    """Algorithms that differ in their parameters alone."""

    name: str
    parameters: tuple[str, ...] = ()
    """Their names in the paper, in its order."""
    template: str = ""
    """The spec, with the numbers of the parameters in braces."""

    @property
    def dynamic(self) -> bool:
        """Whether depth or goal is controlled dynamically."""
        return re.search("=(pdb|mixed|dt|oracle)", self.template) is not None

    @property
    def tree(self) -> bool:
        """Whether a decision tree chooses its depths."""
        return "TREE" in self.template

    def __call__(self, *values: Number) -> "Algorithm":
        """Return the algorithm with these parameters."""
        return Algorithm(self, values)

    def sweep(self, *ranges: Iterable[Number]) -> tuple["Algorithm", ...]:
        """Return the algorithms with all combinations of some values."""
        return tuple(Algorithm(self, values) for values in product(*ranges))


@dataclass(frozen=True)
class Algorithm:
    """A family with a value for each of its parameters."""

    family: Family
    values: tuple[Number, ...] = ()

    @property
    def name(self) -> str:
        """Its name in the paper."""
        return f"{self.family.name} {self.setting}".strip()

    @property
    def setting(self) -> str:
        """The parameters alone."""
        return ", ".join(f"{name} = {value:g}" for name, value in zip(self.family.parameters, self.values, strict=True))

    def __getitem__(self, parameter: str) -> Number:
        """The value of a parameter."""
        return self.values[self.family.parameters.index(parameter)]

    @property
    def uncapped(self) -> bool:
        """Whether the cap has no effect."""
        return "c" in self.family.parameters and self["c"] >= UNCAPPED

    @property
    def deep(self) -> int | None:
        """The level of the depths for global goals that it needs on the ground, or `None`."""
        template = self.family.template
        depths = "d=pdb" in template and ("goal=pdb" not in template or self.uncapped)
        return int(self["ℓ"]) if depths and not template.startswith("pr-") else None

    def spec(self, trees: Mapping[int, str]) -> str:
        """Return the canonical spec; `trees` contains the file of the tree for each d_max."""
        text = self.family.template.format(*(f"{value:g}" for value in self.values))
        further = ["reentry=pdb"] if self.uncapped and "goal=pdb" in text else []
        further += [f"abstraction={ABSTRACTION}"] if "=pdb" in text or text.startswith("pr") else []
        further += [f"path={PATH}"] if "goal=" in text else []
        further += [f"ties={TIES}"] if "lrt" in text else []
        text = f"{text.removesuffix(')')}, {', '.join(further)})" if further else text
        if self.family.tree:
            if int(self["dmax"]) not in trees:
                raise InputError(f"{self.name} has no decision tree; train one with `permove train`")
            text = text.replace("TREE", trees[int(self["dmax"])])
        return parse(text).spec


F_G = Family("LRTA* (F, G)", ("d",), "lrta(d={0})")
DT_G = Family("LRTA* (DT, G)", ("dmax",), "lrta(d=dt, tree=TREE)")
ORACLE_G = Family("LRTA* (ORACLE, G)", ("dmax",), "lrta(d=oracle, dmax={0})")
PDB_G = Family("LRTA* (PDB, G)", ("ℓ", "c"), "lrta(d=pdb, l={0}, c={1})")
K_LRTA = Family("K LRTA* (F, G)", ("k",), "klrta(k={0})")
K_LRTA_CURRENT = Family("K LRTA* (F, G), one update", ("k",), "klrta(k={0}, update=current)")
"""The variant that resembles the published curve: it updates only the current state."""
P_LRTA = Family("P LRTA* (F, G)", ("q",), "plrta(q={0})")

F_PDB = Family("LRTA* (F, PDB)", ("d", "ℓ"), "lrta(d={0}, goal=pdb, l={1})")
PDB_PDB = Family("LRTA* (PDB, PDB)", ("ℓ", "c"), "lrta(d=pdb, goal=pdb, l={0}, c={1})")
WITH_CENTROIDS = "lrta(d=pdb, goal=pdb, l={0}, c={1}, entry=centroid)"
CENTROIDS = Family("LRTA* (PDB, PDB), centroids", ("ℓ", "c"), WITH_CENTROIDS)
"""Intermediate goals of the conference paper, which Section 6 compares with entry states."""

PR_F_G = Family("PR LRTA* (F, G)", ("ℓ", "d", "γ"), "pr-lrta(l={0}, d={1}, gamma={2})")
PR_PDB_G = Family("PR LRTA* (PDB, G)", ("c", "γ", "ℓ"), "pr-lrta(d=pdb, c={0}, gamma={1}, l={2})")
PR_PDB_G_2 = Family("PR LRTA* (PDB, G), two levels", ("c", "ℓ", "ℓ₂"), "pr-lrta(d=pdb, c={0}, l={1}, l2={2})")
PR_F_PDB = Family("PR LRTA* (F, PDB)", ("d", "ℓ", "ℓ₂"), "pr-lrta(d={0}, goal=pdb, l={1}, l2={2})")
PR_PDB_PDB = Family("PR LRTA* (PDB, PDB)", ("c", "ℓ", "ℓ₂"), "pr-lrta(d=pdb, goal=pdb, c={0}, l={1}, l2={2})")
ASTAR = Family("A*", template="astar")()
WEIGHTED = Family("weighted A*, f = 15 g + h", template="wastar(gamma=1/15)")()
WEIGHTED_REOPENING = Family("weighted A*, re-opening", template="wastar(gamma=1/15, reopen=yes)")()
PRA = Family("PRA*", template="pra(l=auto)")()

MIXED = Family("LRTA* (PDB, G+I)", ("ℓ", "c"), "lrta(d=pdb, goal=mixed, l={0}, c={1}, entry=centroid)")
"""Of the conference paper: an intermediate goal if the global goal requires too deep a search."""

INTERMEDIATE = Family("LRTA* (PDB, I)", ("ℓ", "c"), WITH_CENTROIDS)
"""Of the conference paper: always an intermediate goal, except in the region of the goal."""

PR_LRTS = Family("PR LRTS", ("ℓ", "d", "γ"), "pr-lrts(l={0}, d={1}, gamma={2})")

ON_GROUND = (F_G, DT_G, ORACLE_G, PDB_G, K_LRTA, K_LRTA_CURRENT, P_LRTA, F_PDB, PDB_PDB, CENTROIDS, MIXED, INTERMEDIATE)
REFINING = (PR_F_G, PR_PDB_G, PR_PDB_G_2, PR_F_PDB, PR_PDB_PDB)
"""Families that refine abstract paths."""

FAMILIES = (*ON_GROUND, *REFINING, PR_LRTS, ASTAR.family, WEIGHTED.family, WEIGHTED_REOPENING.family, PRA.family)

DMAX = (5, 10, 15, 20)
"""The maximum depths of decision trees and oracles in both papers."""


def sweeps(lines: Iterable[str]) -> tuple[Algorithm, ...]:
    """Return all algorithms of lines such as "LRTA* (F, PDB) d = 1..4 6, ℓ = 3"; "ℓ/ℓ₂ = 1/3 2/4" are pairs."""
    found: list[Algorithm] = []
    for line in lines:
        family = max((each for each in FAMILIES if line.startswith(each.name)), key=lambda each: len(each.name))
        ranges = [_range(values) for values in re.findall(r" = ([^,]+)", line.removeprefix(family.name))]
        found += [family(*chain(*values)) for values in product(*ranges)]
    return tuple(found)


def _range(values: str) -> list[tuple[Number, ...]]:
    found: list[tuple[Number, ...]] = []
    for word in values.split():
        first, dots, last = word.partition("..")
        each = range(int(first), int(last) + 1) if dots else ()
        found += [(value,) for value in each] or [
            tuple(float(part) if "." in part else int(part) for part in word.split("/"))
        ]
    return found


def named(name: str) -> Algorithm:
    """Return the algorithm with a name of the paper, such as "LRTA* (F, PDB) d = 1, ℓ = 3"."""
    (only,) = sweeps([name])
    return only
