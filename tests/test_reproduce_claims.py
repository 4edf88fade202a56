"""Claims as expressions: one expression is the statement and its check, and papers load one at a time."""

import subprocess
import sys
from collections.abc import Sequence

import numpy as np
import pytest

from permove import papers
from permove.analysis.statistics import Values
from permove.papers.claims import (
    Claim,
    Finding,
    NotMeasuredError,
    Number,
    Predicate,
    Trend,
    claims,
    needed,
    predicates,
    together,
)
from permove.papers.item import Item, Paper

NOISE = np.array([-0.1, 0.1, -0.05, 0.05])

Study = Sequence[float]
"""The means of a series."""


def series(study: Study) -> dict[str, list[Values]]:
    return {"travel": [mean + NOISE for mean in study]}


TRAVEL = Trend[Study]("travel", "the level", (0, 1, 2), series)
FIRST = Number[Study]("the first value", lambda study: study[0])
LAST = Number[Study]("the last value", lambda study: study[-1])


@pytest.mark.parametrize(
    ("study", "rises", "steadily", "falls"),
    [((1, 2, 3), True, True, False), ((1, 5, 3), True, False, False), ((3, 2, 1), False, False, True)],
)
def test_trend_is_judged_by_its_line_and_steps(study: Study, rises: bool, steadily: bool, falls: bool) -> None:
    assert TRAVEL.rises().check(study)[0] is rises
    assert TRAVEL.rises(steadily=True).check(study)[0] is steadily
    assert TRAVEL.falls().check(study)[0] is falls


def test_trend_renders_its_statement_and_the_measured_means() -> None:
    statement = Claim(TRAVEL.falls(steadily=True), "5.2").judge((3, 2, 1))
    assert statement.text == "Travel falls with the level."
    assert statement.predicate.startswith("A line through the means falls by more than 2 standard errors")
    assert statement.found == "travel: 3, 2, 1."
    failed = Claim(TRAVEL.rises(), "5.2").judge((3, 2, 1))
    assert failed.holds is False
    assert failed.found == "travel: 3, 2, 1. Exceptions: travel."


def test_several_subjects_take_the_plural() -> None:
    several = Trend[Study]("travel and memory", "d", (0, 1, 2), series)
    assert several.rises().text == "travel and memory rise with d"
    assert several.stays_within(0.5).text == "travel and memory stay within 50% along d"
    assert several.stays_within(0.5).check((9, 10, 11))[0]
    assert not several.stays_within(0.1).check((9, 10, 11))[0]


@pytest.mark.parametrize(
    ("predicate", "text", "holds"),
    [
        (FIRST.between(2, 4, "three"), "the first value is between 2 and 4 (in the paper, three)", True),
        (FIRST.above(3), "the first value is above 3", False),
        (FIRST.at_least(3), "the first value is at least 3", True),
        (FIRST.at_most(2), "the first value is at most 2", False),
        (FIRST.equals(3), "the first value is 3", True),
        (LAST.below(FIRST), "the last value is below the first value", True),
        ((FIRST / LAST).below(2), "the first value relative to the last value is below 2", False),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_number_renders_the_bound_that_it_checks(predicate: Predicate[Study], text: str, holds: bool) -> None:
    assert predicate.text == text
    assert predicate.check((3, 2, 1))[0] is holds


@predicates("value {at} is above {bound:g}", "by more than {bound:.0%}")
def above(study: Study, bound: float, at: int = 0) -> Finding:
    return study[at] > bound, f"{study[at]}."


def test_parameters_of_a_predicate_are_in_its_texts_and_its_check() -> None:
    first, last = above(2), above(0.5, at=-1)
    assert (first.text, first.how) == ("value 0 is above 2", "by more than 200%")
    assert (last.text, last.how) == ("value -1 is above 0.5", "by more than 50%")
    assert first.check((3, 1)) == (True, "3.")
    assert last.check((3, 0)) == (False, "0.")


def test_check_in_other_words_decides_the_same() -> None:
    stated = together("it falls", [FIRST.above(2), LAST.below(2)], "from above to below 2")
    assert (stated.text, stated.how) == ("it falls", "from above to below 2")
    assert [stated.check(study) for study in ((3, 1), (3, 3))] == [
        (True, "The first value: 3. The last value: 1."),
        (False, "The first value: 3. The last value: 3."),
    ]


def test_check_without_what_it_needs_is_not_measured() -> None:
    assert needed([1], "Nothing ran.") == [1]
    with pytest.raises(NotMeasuredError, match=r"Nothing ran\."):
        needed({}, "Nothing ran.")


def test_joined_predicates_hold_only_together() -> None:
    joined = FIRST.above(2) & LAST.below(2)
    assert joined.text == "the first value is above 2, and the last value is below 2"
    assert joined.check((3, 1)) == (True, "The first value: 3. The last value: 1.")
    assert not joined.check((3, 3))[0]
    assert not joined.check((1, 1))[0]


def test_timed_and_unmeasured_claims_are_not_checked() -> None:
    def missing(_: object) -> tuple[bool, str]:
        raise NotMeasuredError("A* did not run.")

    class Untimed:
        timed = False

    made = claims(
        "1",
        "table-1",
        Predicate("it is fast", missing).on_the_clock(),
        Predicate("it holds", missing),
        Predicate("it exists", lambda _: (True, "Seen.")),
    )
    item = Item("table-1", "toys", pytest.fail)
    outcome = Paper("toys", "Toys", (item,), made).judge(item, Untimed(), {})
    assert [each.text for each in outcome.statements] == ["It exists."]
    assert outcome.passed
    (note,) = outcome.notes
    assert note == (
        "Claims that are not checked: 2. Moves were not timed. Use --timed 1 to time them on one thread. "
        "A* did not run."
    )


def test_claims_of_a_section_share_their_items() -> None:
    (claim,) = claims("5", "table-1 figure-2", FIRST.above(2))
    assert (claim.section, claim.items) == ("5", ("table-1", "figure-2"))


def test_papers_load_one_at_a_time() -> None:
    code = (
        "import sys; from permove import papers; known = list(papers.MODULES.values());"
        "assert not any(name in sys.modules for name in known);"
        "papers.load('rtaa-2006');"
        "assert [name for name in known if name in sys.modules] == ['permove.papers.rtaa_2006']"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_keys_of_papers_are_those_of_the_registry() -> None:
    assert [paper.key for paper in papers.PAPERS] == list(papers.MODULES)
    with pytest.raises(AttributeError):
        _ = papers.NOTHING
