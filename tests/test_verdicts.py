"""Every sentence of a comparison, recomputed from the records of random runs with loops that share no code with it."""

import math
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from statistics import fmean, median
from typing import Any

import polars as pl
import pytest
from scipy.stats import wilcoxon

import permove as pm
from permove.common.random_numbers import stream
from permove.report.document import Rows
from permove.report.formats import number
from permove.views.comparison import comparison_document, verdict
from support import records, small_maps

ALPHA = 50.0
OVER, SOLVED = "cutoff", "solved"

Agent = dict[int, tuple[str, float | None, int]]
"""The records of an agent: status, suboptimality and expanded states for each problem."""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> pm.Run:
    folder = tmp_path_factory.mktemp("verdicts") / "run"
    return pm.run("embedded", ["astar"], maps=small_maps()[:1], limit=1, out=folder, progress=False)


def random_agents(seed: int) -> dict[str, Agent]:
    """Make up agents with ties, unsolved trials, moves over the limit and missing problems.

    All values are multiples of an eighth, so that sums are exact and do not depend on their order.
    """
    draw = random.Random(seed)
    problems = draw.choice([1, 2, 7, 14, 20])
    agents: dict[str, Agent] = {}
    for name in ("a", "b", "c", "d")[: draw.choice([2, 3, 4, 4])]:
        lost, over, missing = (draw.choice([0, 0, 0, chance]) for chance in (0.2, 0.3, 0.1))
        shift, spread = draw.choice([0, 0, 4, 16]), draw.choice([0, 2, 40])
        agents[name] = {}
        for problem in range(problems):
            status = SOLVED
            if draw.random() < lost:
                status = draw.choice(["travel-cap", "stuck"])
            if draw.random() < over:
                status = OVER
            value = 1 + (shift + draw.randint(0, spread)) / 8 if status == SOLVED else None
            if problem == 0 or draw.random() >= missing:
                agents[name][problem] = (status, value, draw.randint(1, 9))
    return agents


def frame_of(agents: dict[str, Agent]) -> pl.DataFrame:
    return records(
        *(
            {"agent": name, "label": name.upper(), "problem": problem, "status": status, "suboptimality": value}
            | {"cost": value and 10 * value, "moves": 4, "expanded": expanded}
            for name, own in agents.items()
            for problem, (status, value, expanded) in own.items()
        )
    )


def is_over(own: Agent) -> bool:
    return any(status == OVER for status, _, _ in own.values())


def counting(own: Agent, cap: float | None) -> dict[int, float]:
    """The values of an agent that can count."""
    found = {}
    for problem, (status, value, _) in own.items():
        if status == SOLVED:
            assert value is not None
            found[problem] = value
        elif status != OVER and cap is not None:
            found[problem] = cap
    return found


def common_problems(agents: dict[str, Agent], cap: float | None) -> list[int]:
    """The problems that count for all ranked agents."""
    ranked = [counting(own, cap) for own in agents.values() if not is_over(own) and counting(own, cap)]
    every = sorted({problem for own in agents.values() for problem in own})
    return [problem for problem in every if all(problem in own for own in ranked)]


def quantile(values: list[float], share: float) -> float:
    values = sorted(values)
    position = share * (len(values) - 1)
    low, high = values[math.floor(position)], values[math.ceil(position)]
    return low + (position - math.floor(position)) * (high - low)


def interquartile_mean(values: list[float]) -> float:
    cut = len(values) // 4
    return fmean(sorted(values)[cut : len(values) - cut])


SCORES: dict[str, tuple[str, Callable[[list[float]], float]]] = {
    "mean": ("mean", fmean),
    "median": ("median", median),
    "iqm": ("interquartile mean", interquartile_mean),
    "p95": ("95th percentile", lambda values: quantile(values, 0.95)),
}


def ends(samples: list[float]) -> tuple[float, float]:
    low, high = (math.ceil(share * len(samples)) - 1 for share in ((1 - 0.95) / 2, (1 + 0.95) / 2))
    return sorted(samples)[low], sorted(samples)[high]


@cache
def resamples(count: int) -> list[list[int]]:
    """The problems of each resample."""
    return [[int(drawn) % count for drawn in stream(0, f"resample {at}", count) >> 11] for at in range(1000)]


class Naive:
    """One pair of agents, by loops over problems."""

    def __init__(self, agents: dict[str, Agent], one: str, other: str, cap: float | None, score: str) -> None:
        self.words, self.score = SCORES[score]
        values, others = counting(agents[one], cap), counting(agents[other], cap)
        common = common_problems(agents, cap)
        self.problems = [problem for problem in common if problem in values and problem in others]
        self.one = [values[problem] for problem in self.problems]
        self.other = [others[problem] for problem in self.problems]
        self.differences = [first - second for first, second in zip(self.one, self.other, strict=True)]
        self.wins = sum(difference < 0 for difference in self.differences)
        self.losses = sum(difference > 0 for difference in self.differences)
        self.ties = sum(difference == 0 for difference in self.differences)
        self.over = {name: sum(each[0] == OVER for each in agents[name].values()) for name in (one, other)}
        self.planning = [self._planning(agents[name]) for name in (one, other)]
        self.p = self._p() if not any(self.over.values()) and self.problems else None
        if self.problems:
            self.difference = self._difference(self.one, self.other)
            self.improvement = (self.wins + self.ties / 2) / len(self.problems)
        if len(self.problems) > 1:
            self._resample()

    def _planning(self, own: Agent) -> float | None:
        return sum(own[problem][2] for problem in self.problems) / (4 * len(self.problems)) if self.problems else None

    def _difference(self, one: list[float], other: list[float]) -> float:
        # The mean of the differences, whose sum is exact, is rounded once; the difference of two means is not.
        if self.score is fmean:
            return sum(first - second for first, second in zip(one, other, strict=True)) / len(one)
        return self.score(one) - self.score(other)

    def _resample(self) -> None:
        count = len(self.problems)
        won = [1 if difference < 0 else 0 if difference > 0 else 0.5 for difference in self.differences]
        differences, improvements = [], []
        for drawn in resamples(count):
            differences.append(self._difference([self.one[at] for at in drawn], [self.other[at] for at in drawn]))
            improvements.append(sum(won[at] for at in drawn) / count)
        self.ends, self.improvement_ends = ends(differences), ends(improvements)

    def _p(self) -> float:
        unequal = [difference for difference in self.differences if difference != 0]
        if len(unequal) > 50:
            return float(wilcoxon(unequal).pvalue)
        # Exact: the number of assignments of signs with each sum of the ranks of positive differences.
        sizes = sorted(map(abs, unequal))
        ranks = [
            Fraction(sizes.index(size) + 1 + sizes.index(size) + sizes.count(size), 2) for size in map(abs, unequal)
        ]
        assignments = Counter({Fraction(0): 1})
        for rank in ranks:
            assignments += Counter({total + rank: count for total, count in assignments.items()})
        observed = sum(rank for rank, difference in zip(ranks, unequal, strict=True) if difference > 0)
        up_to = sum(count for total, count in assignments.items() if total <= observed)
        from_it = sum(count for total, count in assignments.items() if total >= observed)
        return min(1.0, 2 * min(up_to, from_it) / 2 ** len(unequal))

    def rank_side(self) -> int:
        """The side that the ranks favour: -1 the first agent, 1 the second."""
        sizes = sorted(abs(difference) for difference in self.differences if difference != 0)
        total = 0.0
        for difference in self.differences:
            if difference != 0:
                places = [at + 1 for at, size in enumerate(sizes) if size == abs(difference)]
                total += math.copysign(fmean(places), difference)
        return (total > 0) - (total < 0)

    def finding(self, p: float | None) -> str:
        if any(self.over.values()):
            return "disqualified"
        if not self.problems:
            return "incomparable"
        if self.ties == len(self.problems):
            return "same"
        low, high = self.ends if len(self.problems) > 1 else (-1, 1)
        by_score = -1 if high < 0 else 1 if low > 0 else 0
        by_rank = self.rank_side() if p is not None and p < 0.05 else 0
        if by_score == by_rank == 0:
            return "none"
        if by_score == by_rank == -1 and self.wins >= self.losses:
            return "better"
        if by_score == by_rank == 1 and self.wins <= self.losses:
            return "worse"
        return "mixed"

    def lower(self) -> str:
        if self.difference == 0:
            return "the same"
        return f"{'lower' if self.difference < 0 else 'higher'} by {number(abs(self.difference))}"

    def interval(self) -> str:
        return " and ".join("0" if end == 0 else f"{'−' if end < 0 else '+'}{number(abs(end))}" for end in self.ends)

    def sentence(self, agents: dict[str, Agent], one: str, other: str, cap: float | None, p: float | None) -> str:
        first, second, count = one.upper(), other.upper(), len(self.problems)
        finding = self.finding(p)
        if finding == "disqualified":
            return self._disqualified(agents, one, other, cap)
        score = f"{self.words} suboptimality is {self.lower()} (95% between {self.interval()})" if count > 1 else ""
        often = f"better on {self.wins}, worse on {self.losses} and equal on {self.ties} of {count} problems"
        if finding == "incomparable":
            text = f"{first} and {second} have no problem in common, so they cannot be compared."
        elif finding == "same":
            text = f"{first} and {second} have the same suboptimality on "
            text += "the only problem." if count == 1 else f"all {count} problems."
        elif count == 1:
            side = "better" if self.wins else "worse"
            text = f"{first} is {side} than {second} on the only problem, which is not enough to generalize."
        else:
            assert self.planning[0] is not None
            assert self.planning[1] is not None
            ratio = self.planning[0] / self.planning[1]
            price = "the same" if ratio == 1 else f"{number(ratio)} times the"
            found = f"its {score}, and it is {often}, with {price} planning per move."
            texts = {
                "better": f"{first} is better than {second}: {found}",
                "worse": f"{first} is worse than {second}: {found}",
                "none": f"{count} problems show no significant difference between {first} and {second}: the {score}, "
                f"and {first} is {often}.",
                "mixed": f"{first} and {second} differ, but it is unclear which is better: the {score}, and {first} is "
                f"{often} (Wilcoxon p {'< 0.0001' if p is not None and p < 1e-4 else f'{p:.2g}'}).",
            }
            low, high = self.improvement_ends
            text = f"{texts[finding]} The probability of improvement is {self.improvement:.2f} [{low:.2f}, {high:.2f}]."
        both = agents[one].keys() & agents[other].keys()
        solved = [sum(agents[name][problem][0] == SOLVED for problem in both) for name in (one, other)]
        if not count == solved[0] == solved[1] == len(both):
            rule = (
                "only problems that both solved are compared (--unsolved exclude)"
                if cap is None
                else f"unsolved trials count as {cap:g} times the optimum (--unsolved cap)"
            )
            runs = f"{len(both)} problem{'' if len(both) == 1 else 's'}"
            text += f" Both were run on {runs}, of which {first} solved {solved[0]} and {second} {solved[1]}; {rule}."
        return text

    def _disqualified(self, agents: dict[str, Agent], one: str, other: str, cap: float | None) -> str:
        names = [name for name in (one, other) if self.over[name]]
        over = " and ".join(f"{self.over[name]} of {len(agents[name])}" for name in names)
        verbs = "is disqualified: it exceeds" if len(names) == 1 else "are disqualified: they exceed"
        subject = " and ".join(name.upper() for name in names)
        text = f"{subject} {verbs} the limit on planning per move on {over} problems."
        kept = "that both solved" if cap is None else "on which neither exceeds it"
        if not self.problems:
            return f"{text} There is no problem {kept}, so the agents cannot be compared."
        where = "the only problem" if len(self.problems) == 1 else f"the {len(self.problems)} problems"
        interval = f" (95% between {self.interval()})" if len(self.problems) > 1 else ""
        return (
            f"{text} On {where} {kept}, the {self.words} suboptimality of {one.upper()} is {self.lower()}{interval}: "
            f"it is lower on {self.wins}, higher on {self.losses} and equal on {self.ties}."
        )


def holm(p: list[float | None]) -> list[float | None]:
    """Holm's correction, step by step."""
    known = sorted((value, at) for at, value in enumerate(p) if value is not None)
    corrected: list[float | None] = [None] * len(p)
    highest = 0.0
    for rank, (value, at) in enumerate(known):
        highest = max(highest, min(value * (len(known) - rank), 1.0))
        corrected[at] = highest
    return corrected


def coverage_sentence(agents: dict[str, Agent], cap: float | None) -> str:
    problems = len({problem for own in agents.values() for problem in own})
    kept = [own for own in agents.values() if not is_over(own)]
    ranked = [own for own in kept if counting(own, cap)]
    common = common_problems(agents, cap)
    # Without a ranked agent, all problems that any agent can be compared on count.
    counted = len({problem for own in agents.values() for problem in counting(own, cap) if problem in common})
    capped = sum(own[problem][0] != SOLVED for own in ranked for problem in common if problem in own)
    named = f"all {len(ranked)} ranked agents" if len(ranked) > 1 else "the only ranked agent"
    plural = "" if problems == 1 else "s"
    some = f"the {counted} of {problems} problem{plural} that {named}"
    if counted == 0:
        verb = "solved" if cap is None else "were run on"
        name = "exclude" if cap is None else "cap"
        text = f"There are no values, since there is no problem that {named} {verb} (--unsolved {name})."
    elif cap is None and counted < problems:
        text = f"Differences are over {some} solved (--unsolved exclude)."
    elif capped:
        where = f"{some} were run on" if counted < problems else f"{problems} problem{plural}"
        trials = "1 unsolved trial counts" if capped == 1 else f"{capped} unsolved trials count"
        text = f"Differences are over {where}; {trials} as {cap:g} times the optimum (--unsolved cap)."
    elif counted < problems:
        text = f"Differences are over {some} were run on."
    else:
        text = f"Differences are over {problems} problem{plural}, solved by {named}."
    if left := len(kept) - len(ranked):
        text += (
            f" {left} agent{'' if left == 1 else 's'} that solved no problem {'is' if left == 1 else 'are'} not ranked."
        )
    return text


def summary(agents: dict[str, Agent], one: str, findings: list[str], cap: float | None, words: str) -> str:
    if is_over(agents[one]):
        over = sum(status == OVER for status, _, _ in agents[one].values())
        return (
            f"{one.upper()} is disqualified: it exceeds the limit on planning per move on {over} of {len(agents[one])} "
            f"problems. It is not ranked among the {len(findings)} other agents; the differences are on problems on "
            "which it keeps the limit."
        )
    out = findings.count("disqualified")
    ranked = len(findings) - out
    phrases = [
        ("better", "better than"),
        ("worse", "worse than"),
        ("mixed", "neither clearly better nor clearly worse than"),
        ("none", "not significantly different from"),
        ("same", "the same as"),
        ("incomparable", "without a problem in common with"),
    ]
    found = [(phrase, findings.count(finding)) for finding, phrase in phrases if finding in findings]
    texts = []
    if len(found) == 1:
        every = "the only other ranked agent" if ranked == 1 else f"all {ranked} other ranked agents"
        texts.append(f"In {words} suboptimality, {one.upper()} is {found[0][0]} {every}.")
    elif found:
        listed = [f"{phrase} {count}" for phrase, count in found]
        text = f"{', '.join(listed[:-1])} and {listed[-1]} of {ranked} other ranked agents"
        texts.append(f"In {words} suboptimality, {one.upper()} is {text}.")
    texts.append(coverage_sentence(agents, cap))
    if out:
        left, them = ("1 other agent is", "it") if out == 1 else (f"{out} other agents are", "them")
        texts.append(f"{left} disqualified and not ranked; the differences to {them} are on fewer problems.")
    if found:
        texts.append("The p-values are corrected for the number of agents; the 95% intervals are not.")
    return " ".join(texts)


def with_records(run: pm.Run, frame: pl.DataFrame, alpha: float | None) -> pm.Run:
    other = pm.Run(run.folder)
    other.manifest = replace(run.manifest, settings=replace(run.manifest.settings, alpha=alpha))
    other.records = frame
    return other


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("cap", [None, ALPHA], ids=["exclude", "cap"])
def test_every_sentence_follows_from_the_records(run: pm.Run, score: str, cap: float | None) -> None:
    seen: dict[str, int] = {}
    for seed in range(SEEDS if score == "mean" else SEEDS // 4):
        agents = random_agents(seed)
        one, *others = agents
        made = with_records(run, frame_of(agents), cap)
        field = pm.compare(made, one, others, score=score)
        pairs = {row["other"]: row for row in field.pairs.iter_rows(named=True)}
        naive = [Naive(agents, one, other, cap, score) for other in others]
        corrected = holm([pair.p for pair in naive])
        findings = [pair.finding(p) for pair, p in zip(naive, corrected, strict=True)]
        for other, pair, p, finding in zip(others, naive, corrected, findings, strict=True):
            row = pairs[other]
            assert row["finding"] == finding, (seed, other)
            assert (row["problems"], row["wins"], row["losses"], row["ties"]) == (
                len(pair.problems),
                pair.wins,
                pair.losses,
                pair.ties,
            )
            assert verdict(row, field) == pair.sentence(agents, one, other, cap, p), seed
            seen[finding] = seen.get(finding, 0) + 1
        if len(others) > 1:
            words = SCORES[score][0]
            assert comparison_document(field).blocks[0] == summary(agents, one, findings, cap, words), seed
    if score == "mean":
        assert seen.keys() >= {"better", "worse", "none", "same", "mixed", "disqualified"}


SEEDS = 40
"""Number of random runs for each rule, with the mean; a quarter of them with each other score."""


def test_pairs_with_all_kinds_of_agents_are_among_the_random_runs() -> None:
    made = [random_agents(seed) for seed in range(SEEDS)]
    statuses = {each[0] for agents in made for own in agents.values() for each in own.values()}
    assert statuses == {SOLVED, OVER, "travel-cap", "stuck"}
    assert any(len({len(own) for own in agents.values()}) > 1 for agents in made)
    both_over: list[Any] = [agents for agents in made if sum(map(is_over, agents.values())) > 1]
    assert both_over


def test_a_disqualified_agent_is_never_called_better(run: pm.Run, tmp_path: Path) -> None:
    for seed in range(SEEDS):
        agents = random_agents(seed)
        one, *others = agents
        found = pm.compare(with_records(run, frame_of(agents), None), one, others[0])
        if is_over(agents[one]) or is_over(agents[others[0]]):
            found.show("md", tmp_path / "out.md")
            text = (tmp_path / "out.md").read_text()
            assert "disqualified" in text
            assert not any(word in text for word in ("better", "worse", "dominates", "improvement"))


def test_visits_per_state_have_a_row_if_they_are_known(run: pm.Run) -> None:
    frame = frame_of({name: dict.fromkeys(range(4), (SOLVED, 2.0, 1)) for name in ("a", "b")})
    visited = frame.with_columns(visits_per_state=pl.when(agent="a").then(1.5).otherwise(3.0))
    for made, expected in ((frame, []), (visited, [("visits per state, mean", "1.5", "3", "")])):
        blocks = comparison_document(pm.compare(with_records(run, made, None), "a", "b")).blocks
        rows = [row for block in blocks if isinstance(block, Rows) for row in block.rows]
        assert [row for row in rows if str(row[0]).startswith("visits")] == expected
