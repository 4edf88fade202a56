"""Choosing an algorithm per problem without running any: learning from old maps, and rejected input."""

from dataclasses import replace

import numpy as np
import pytest

from permove import _core
from permove.data import Suite
from permove.data.problems import CELLS
from permove.data.random_suites import bucket_suite, drawn_suite
from permove.select.matrix import Matrix
from permove.select.practical import METHOD, OTHER_METHODS, Chooser, Method, portfolio, practical, survey
from support import rejects

MAPS = 9


@pytest.fixture(scope="module")
def suite() -> Suite:
    maps = drawn_suite("demo", "caves", MAPS, 40, 1, "strict").maps
    return bucket_suite("demo", list(maps.values()), [3, 8, 13, 18, 23, 28], 4, 1)


def matrix_of(suite: Suite, values: np.ndarray) -> Matrix:
    """Return a matrix with these values, algorithms × problems of the suite."""
    problems = suite.problems.select("set", "map", "problem", "optimal", *CELLS)
    names = [f"algorithm {number}" for number in range(len(values))]
    return Matrix(values, names, names, problems, 1000.0)


def decided_by_distance(suite: Suite) -> Matrix:
    """Return a matrix of an algorithm for near goals, one for far goals and one that is mediocre everywhere."""
    problems = suite.problems
    dx = (problems["start_x"].cast(int) - problems["goal_x"].cast(int)).abs().to_numpy()
    dy = (problems["start_y"].cast(int) - problems["goal_y"].cast(int)).abs().to_numpy()
    distance = np.maximum(dx, dy) + 0.41 * np.minimum(dx, dy)
    far = distance > np.median(distance)
    return matrix_of(suite, np.array([np.where(far, 50.0, 2.0), np.where(far, 2.0, 50.0), np.full(len(far), 8.0)]))


def test_choice_by_features_is_learned_on_old_maps_and_holds_on_new_ones(suite: Suite) -> None:
    found = practical(decided_by_distance(suite), suite, trials=3, progress=False)
    means = dict(found.frame.select("method", "mean").iter_rows())
    assert means["prior"] == pytest.approx(8)
    assert found.carried == 0
    assert means["exhaustive"] == means["portfolio"] == pytest.approx(2)
    assert means["practical"] < 5
    assert found.gain > 2 * found.gain_se > 0
    assert found.importances["feature"][0] in ("distance", "abstract_distance", "abstract_moves")
    assert min(found.look_ns, found.choose_ns, found.prepare_ns) > 0
    assert (found.algorithms, found.problems, found.maps) == (3, suite.problems.height, MAPS)
    again = practical(decided_by_distance(suite), suite, trials=3, progress=False)
    assert (again.gain, again.gain_se) == (found.gain, found.gain_se)
    assert again.frame.equals(found.frame)


def test_uninformative_features_give_no_gain(suite: Suite) -> None:
    values = np.random.default_rng(1).uniform(5, 15, (4, suite.problems.height))
    found = practical(matrix_of(suite, values), suite, trials=3, progress=False)
    assert abs(found.gain) < 4 * found.gain_se + 0.5


def test_choice_by_map_carries_over_to_other_problems_of_the_map(suite: Suite) -> None:
    number = suite.problems["map"].rank("dense").to_numpy() % 2
    values = np.array([np.where(number == 0, 2.0, 50.0), np.where(number == 0, 50.0, 2.0), np.full(len(number), 8.0)])
    found = practical(matrix_of(suite, values), suite, trials=2, others=[Method(portfolio=1)], progress=False)
    assert found.carried == pytest.approx(6)
    assert found.between > 0.9
    # A portfolio of one algorithm is the prior.
    assert found.tried.rows() == [("differences to prior of the best 1, 300 problems in a leaf", 0.0, 0.0)]


def test_portfolio_is_the_best_on_average() -> None:
    values = np.array([[1.0, 9.0, 9.0, 9.0], [4.0, 4.0, 4.0, 4.0], [9.0, 9.0, 1.0, 1.0], [4.0, 4.0, 4.0, 3.9]])
    assert portfolio(values, 3).tolist() == [3, 1, 2]
    assert sorted(portfolio(values, 99).tolist()) == [0, 1, 2, 3]


@pytest.mark.parametrize("method", [METHOD, *OTHER_METHODS], ids=str)
def test_chooser_takes_the_best_on_similar_problems(method: Method) -> None:
    features = np.linspace(0, 1, 200, dtype=np.float32)[:, None]
    values = np.array([np.where(features[:, 0] < 0.5, 1.0, 9.0), np.where(features[:, 0] < 0.5, 9.0, 1.0)])
    chooser = Chooser(features, values, 0, method)
    assert chooser.choose(np.array([[0.1], [0.9]], np.float32)).tolist() == [0, 1]


def test_survey_is_the_same_in_any_order_and_names_its_columns(suite: Suite) -> None:
    matrix = decided_by_distance(suite)
    found = survey(matrix, suite, shown=False)
    assert found.values.shape == (suite.problems.height, len(_core.survey_features()))
    order = np.random.default_rng(0).permutation(suite.problems.height)
    shuffled = replace(matrix, values=matrix.values[:, order], problems=matrix.problems[order])
    assert np.array_equal(survey(shuffled, suite, shown=False).values, found.values[order])


def test_missing_values_and_too_few_maps_are_rejected(suite: Suite) -> None:
    matrix = decided_by_distance(suite)
    holes = matrix.values.copy()
    holes[0, 3] = np.nan
    with rejects("missing values", "--batch"):
        practical(replace(matrix, values=holes), suite, progress=False)
    names = suite.problems["map"].unique(maintain_order=True)[:2]
    few = suite.problems["map"].is_in(names.to_list()).to_numpy()
    small = replace(matrix, values=matrix.values[:, few], problems=matrix.problems.filter(few))
    with rejects("2 maps", "explore more"):
        practical(small, suite, progress=False)
