"""Agent specs: their meaning, the order of sweeps, and errors."""

import contextlib
import itertools
import pickle
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from permove import _core
from permove.agents.specs import AgentSpec, check_bounds, expand, expand_all, parse
from permove.common.errors import InputError
from support import rejects

MEDIAN = "param(w=2.654, wc=2.486, b=0.153, lop=median, da=yes, E=yes)"


def canonical(name: str, **params: str) -> AgentSpec:
    return AgentSpec(*_core.canonical(name, params))


def test_name_alone_means_every_default() -> None:
    assert parse("lrta") == parse("lrta()") == parse(" lrta ( ) ") == canonical("lrta")


def test_range_expands_to_all_its_integers() -> None:
    assert expand("lrta(d=4..7)") == [canonical("lrta", d=str(d)) for d in (4, 5, 6, 7)]


def test_set_may_contain_ranges_numbers_and_infinity() -> None:
    assert expand("klrta(k={1..3, 10,inf})") == [canonical("klrta", k=k) for k in ("1", "2", "3", "10", "inf")]


def test_sweeps_multiply_and_the_last_parameter_changes_fastest() -> None:
    expected = [canonical("rtaa", k=k, moves=moves) for k, moves in itertools.product(("5", "9"), ("1", "inf"))]
    assert expand("rtaa(k={5,9}, moves={1,inf})") == expected


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("2.654·median_0.153(2.486·c+h)+da+E", MEDIAN),
        (" 2.654 * median_0.153( 2.486*c + h ) + da + E", MEDIAN),
        ("median(7·c+h)+E", "param(wc=7, lop=median, E=yes)"),
        ("min_0(c+h)", "param(b=0)"),
        ("daLRTA*+E", "da-lrta(E=yes)"),
        ("7-daLRTA*", "da-lrta(wc=7)"),
        ("7-da-lrta", "da-lrta(wc=7)"),
        ("da-lrta+E", "da-lrta(E=yes)"),
        ("2.5-LRTA*", "w-lrta(w=2.5)"),
    ],
)
def test_notation_of_per_map_selection_is_read_and_printed(text: str, spec: str) -> None:
    assert parse(text) == parse(spec)
    assert parse(parse(text).label) == parse(spec)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("20·min(c+h)", "w=20 is out of range; w is 1 to 10"),
        ("min_2(c+h)", "b=2 is out of range; b is 0 to 1"),
        ("mode(c+h)", "unknown agent 'mode'|out of range"),
        ("param(w=0.5)", "w=0.5 is out of range"),
        ("param(w=nan)", "w=nan is out of range"),
        ("param(lop=mean)", "lop is min . avg . median . max"),
    ],
)
def test_parameters_outside_the_space_are_rejected(text: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        parse(text)


@pytest.mark.parametrize(
    ("text", "character"),
    [
        ("20·min(c+h)", 1),
        (" 20 * min(c+h)", 2),
        ("2.654·median_1.153(2.486·c+h)+da+E", 14),
        ("2.654·median_0.153(99·c+h)+da+E", 20),
        ("2·mode(c+h)", 3),
        ("99-daLRTA*", 1),
        ("99-LRTA*+E", 1),
    ],
)
def test_error_in_the_notation_of_the_paper_names_the_typed_character(text: str, character: int) -> None:
    with rejects(start=f"in the spec '{text}', character {character}: "):
        parse(text)


def test_agent_without_guaranteed_arrival_needs_a_bound() -> None:
    agents = [parse("lrta"), parse("max(c+h)")]
    check_bounds(agents, 10.0)
    check_bounds(agents[:1], None)
    with rejects("may never reach its goal", "omit --alpha inf"):
        check_bounds(agents, None)


def test_fraction_equals_its_decimal_number() -> None:
    assert parse("wastar(gamma=1/15)") == parse(f"wastar(gamma={float(Fraction(1, 15))!r})")


def test_duplicate_agents_are_run_once() -> None:
    assert expand_all(["lrta(d=1..2)", "lrta", "lrta(d={2,1,3})"]) == expand("lrta(d=1..3)")


def test_spec_of_one_agent_must_not_sweep() -> None:
    with rejects("stands for 3 agents, expected one"):
        parse("lrta(d=1..3)")


@pytest.mark.parametrize("info", _core.catalogue(), ids=lambda info: info.name)
def test_canonical_spec_of_every_agent_reads_as_itself(info: _core.AgentInfo) -> None:
    agent = parse(info.name)
    assert parse(agent.spec) == agent


@given(
    st.lists(st.one_of(st.integers(1, 60), st.tuples(st.integers(1, 60), st.integers(0, 5))), min_size=1, max_size=6)
)
def test_sets_keep_order_and_expand_to_agents_that_read_as_themselves(items: list[int | tuple[int, int]]) -> None:
    text = ",".join(str(item) if isinstance(item, int) else f"{item[0]}..{item[0] + item[1]}" for item in items)
    depths = [
        depth
        for item in items
        for depth in ([item] if isinstance(item, int) else range(item[0], item[0] + item[1] + 1))
    ]
    agents = expand(f"lrta(d={{{text}}})")
    assert agents == [canonical("lrta", d=str(depth)) for depth in dict.fromkeys(depths)]
    assert expand_all(agent.spec for agent in agents) == agents


@given(st.text(alphabet="lrta kd=(){},.1290inf-/ ", max_size=30))
def test_any_text_is_an_agent_or_bad_input(text: str) -> None:
    with contextlib.suppress(InputError):
        assert expand(text)


@pytest.mark.parametrize(
    ("spec", "position", "remedy"),
    [
        ("lrtaa", 0, "did you mean 'rtaa'"),
        ("LRTA*", 0, "did you mean 'lrta'"),
        ("xyzzy", 0, "`permove agents` lists"),
        ("lrta(dd=1)", 6, "lrta has no parameter 'dd'; did you mean 'd'"),
        ("lrta(d=1, qqqqqq=1)", 11, "`permove agents lrta` lists"),
        ("lrta(d=0)", 6, "d"),
        ("rtaa(k=3, moves=two)", 11, "two"),
        ("lrta(d=2..)", 8, "not a range of integers"),
        ("lrta(d=0.1..0.5)", 8, "not a range of integers"),
        ("lrta(d=5..1)", 8, "write 1..5"),
        ("lrta(d=1", 9, "expected ',' or ')'"),
        ("lrta(d={1,2)", 12, "expected ',' or '}'"),
        ("lrta(5)", 6, "write parameters as name=value"),
        ("lrta(d=)", 8, "expected a value"),
        ("lrta(d=1,d=2)", 10, "given twice"),
        ("lrta(d=1) astar", 11, "expected the end of the spec"),
        ("", 1, "expected the name of an agent"),
    ],
)
def test_wrong_spec_is_rejected_with_position_and_remedy(spec: str, position: int, remedy: str) -> None:
    place = f"in the spec '{spec}', character {position}: " if position else f"unknown agent '{spec}'; "
    with rejects(remedy, start=place):
        expand(spec)


def test_excessive_sweep_is_rejected_before_it_is_expanded() -> None:
    with rejects("stands for 1,000,000,000,000 agents", "smaller ranges"):
        expand("lrta(d=1..1000000000000)")


@pytest.mark.parametrize(
    ("spec", "agent", "param"),
    [
        ("lrtaa", "lrtaa", None),
        ("lrta(dd=1)", "lrta", "dd"),
        ("lrta(c=1, d=0)", "lrta", "d"),
        ("lrta(d=dt)", "lrta", "d"),
        ("lrta(d=oracle, ties=random)", "lrta", None),
        ("pr-lrts(l=3, levels=al)", "pr-lrts", "levels"),
        ("lrta(d=", None, None),
    ],
)
def test_error_carries_the_agent_and_the_parameter(spec: str, agent: str | None, param: str | None) -> None:
    with pytest.raises(InputError) as caught:
        expand(spec)
    assert (caught.value.agent, caught.value.param, caught.value.file, caught.value.line) == (agent, param, None, None)


def test_error_in_a_tree_carries_the_file_and_the_line(tmp_path: Path) -> None:
    (tmp_path / "a.tree").write_text('{\n"format"')
    with pytest.raises(InputError) as caught:
        expand(f"lrta(d=dt, tree={tmp_path}/a.tree)")
    assert (caught.value.param, caught.value.file, caught.value.line) == ("tree", f"{tmp_path}/a.tree", 2)
    assert pickle.loads(pickle.dumps(caught.value)).line == 2


@pytest.mark.parametrize(
    ("read", "line"),
    [(lambda: _core.Map.parse(b"type octile\nheight x\n", "a"), 2), (lambda: _core.Scenarios.parse(b"", "a"), 1)],
)
def test_error_in_a_file_carries_its_name_and_the_line(read: Callable[[], object], line: int) -> None:
    with pytest.raises(InputError) as caught:
        read()
    assert (caught.value.file, caught.value.line) == ("a", line)


@pytest.mark.parametrize("info", _core.catalogue(), ids=lambda info: info.name)
def test_samples_of_every_agent_are_specs_of_that_agent(info: _core.AgentInfo) -> None:
    assert info.samples[0] == info.name
    assert all(parse(sample).spec.startswith(f"{info.name}(") for sample in info.samples)
    assert info.samples_with_databases == [sample for sample in info.samples if _core.needs(sample)]
