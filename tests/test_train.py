"""Decision trees that choose depths: training, predictions equal to those of scikit-learn, bad files."""

import json
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

import permove as pm
from data_files import map_text, scen_text, write_files
from permove import _core, data
from permove.agents.specs import expand, parse
from permove.common.terminal import Bar
from permove.control.fit import CCP_ALPHAS, fit, nodes, pruned_predictions
from permove.control.training_data import Recipe, Samples, collect
from permove.data.random_suites import drawn_suite
from support import contents, error_of, full_disk, invoke, json_of, rejects

LEAF: dict[str, Any] = {"depth": 3}
TREE = {"format": "permove-tree", "version": 1, "features": "2008", "n": 60, "presearch": 1, "dmax": 9, "nodes": [LEAF]}
TRAIN = "train embedded --map outdoor-woods-192 --limit 4 --dmax 3 -o dt.tree"


def small_suite(count: int = 6, seed: int = 1) -> data.Suite:
    return drawn_suite("small", "outdoor", count, 48, seed, "strict")


def samples(dmax: int, features: str = "2008", presearch: int = 1, jobs: int = 2) -> Samples:
    recipe = Recipe(features, 60, presearch, dmax)
    return collect(small_suite().select(), recipe, jobs=jobs, alpha=None, update=lambda _: None)


def write(path: str, tree: dict[str, Any]) -> str:
    Path(path).write_text(json.dumps(tree))
    return path


def written(path: str, tree: DecisionTreeClassifier, dmax: int, features: str = "2008") -> _core.DecisionTree:
    """Write a tree of scikit-learn and read it with the core."""
    presearch = 1 if features == "2008" else 0
    write(path, TREE | {"dmax": dmax, "features": features, "presearch": presearch, "nodes": nodes(tree)})
    return _core.DecisionTree.read(path)


def around_thresholds(tree: DecisionTreeClassifier, count: int) -> NDArray[np.float32]:
    """Return vectors of thresholds and of the next numbers on either side."""
    random = np.random.default_rng(1)
    inner = tree.tree_
    vectors = random.uniform(-1, 100, (count, tree.n_features_in_)).astype(np.float32)
    for feature in range(tree.n_features_in_):
        own = inner.threshold[inner.feature == feature]
        if len(own):
            near = random.choice(own, count).astype(np.float32)
            shifted = np.nextafter(near, random.choice([-np.inf, np.inf], count).astype(np.float32))
            vectors[:, feature] = np.where(random.random(count) < 0.5, near, shifted)
    return vectors


@pytest.mark.parametrize(("features", "count"), [("2008", 11), ("2007", 4)])
def test_core_predicts_like_scikit_learn_at_thresholds(features: str, count: int) -> None:
    random = np.random.default_rng(5)
    for seed in range(6):
        vectors = random.exponential(10, (4000, count)).astype(np.float32)
        vectors[:, -1] = random.random(4000) < 0.4
        labels = random.integers(1, 21, 4000) * (vectors[:, 0] > 5) + 1
        tree = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=3, random_state=seed).fit(vectors, labels)
        read = written("random.tree", tree, 21, features)
        for questions in (vectors, around_thresholds(tree, 20_000)):
            np.testing.assert_array_equal(read.depths(questions), tree.predict(questions))


def test_core_predicts_like_scikit_learn_on_training_data() -> None:
    taught = samples(8)
    tree = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=5, random_state=0)
    tree.fit(taught.features, taught.labels)
    read = written("taught.tree", tree, 8)
    assert (read.features, read.n, read.presearch, read.dmax) == ("2008", 60, 1, 8)
    np.testing.assert_array_equal(read.depths(taught.features), tree.predict(taught.features))


def test_pruning_one_tree_equals_pruning_by_scikit_learn() -> None:
    taught = samples(8)
    half = len(taught.labels) // 2
    first, second = slice(half), slice(half, None)

    def grown(ccp_alpha: float) -> DecisionTreeClassifier:
        tree = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=5, random_state=0, ccp_alpha=ccp_alpha)
        return tree.fit(taught.features[first], taught.labels[first])

    alphas = (*CCP_ALPHAS, 0.01, 0.1, 2.0)
    answers = pruned_predictions(grown(0.0), taught.features[second], alphas)
    for ccp_alpha, answer in zip(alphas, answers, strict=True):
        np.testing.assert_array_equal(answer, grown(ccp_alpha).predict(taught.features[second]))


def test_collected_moves_have_features_in_their_ranges() -> None:
    taught = samples(6, presearch=2)
    assert taught.features.shape == (len(taught.labels), 11)
    assert taught.features.dtype == np.float32
    assert np.isfinite(taught.features).all()
    assert set(np.unique(taught.labels)) <= set(range(1, 7))
    assert ((taught.features[:, 4:6] >= 0) & (taught.features[:, 4:6] <= 1)).all()
    assert set(np.unique(taught.features[:, [6, 7, 9, 10]])) <= {0.0, 1.0}
    assert taught.features[:, 2].max() <= 60
    assert _core.feature_names("2008")[8].startswith("f9 ")
    four = samples(6, "2007", presearch=0)
    assert four.features.shape == (len(four.labels), 4)
    np.testing.assert_array_equal(four.features[:, :2], taught.features[:, :2])
    np.testing.assert_array_equal(four.labels, taught.labels)


def test_sample_of_moves_keeps_their_order() -> None:
    complete = samples(6)
    some = complete.sample(50, seed=3)
    rows = np.column_stack((complete.features, complete.labels)).tolist()
    place = -1
    for row in np.column_stack((some.features, some.labels)).tolist():
        place = rows.index(row, place + 1)
    assert len(some.labels) == 50
    np.testing.assert_array_equal(some.features, complete.sample(50, seed=3).features)
    assert not np.array_equal(some.features, complete.sample(50, seed=4).features)
    assert complete.sample(len(complete.labels), seed=3) is complete


def test_tree_from_a_sample_of_moves_reports_their_number() -> None:
    assert json_of(TRAIN, "--moves", 120, "--leaf", 5)[0]["moves"] == 120
    assert json.loads(Path("dt.tree").read_text())["training"]["moves"] == 120


def test_tree_with_given_pruning_is_that_of_scikit_learn_and_has_no_accuracy() -> None:
    found = samples(5)
    fitted = fit(found, leaf=20, seed=0, jobs=2, ccp_alpha=0.003)
    tree = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=20, ccp_alpha=0.003, random_state=0)
    assert fitted.nodes == nodes(tree.fit(found.features, found.labels))
    assert (fitted.accuracy, fitted.accuracy_se, fitted.ccp_alpha) == (None, None, 0.003)
    [trained] = pm.train(small_suite(), "dt.tree", dmax=5, leaf=20, ccp_alpha=0.003)
    assert trained.accuracy is None
    facts = json.loads(Path("dt.tree").read_text())["training"]
    assert (facts["accuracy"], facts["folds"], facts["ccp_alpha"]) == (None, None, 0.003)
    assert "–" in invoke(TRAIN, "--ccp-alpha", 0.01).stdout


def test_tree_does_not_depend_on_the_number_of_threads() -> None:
    for jobs in (1, 3):
        pm.train(small_suite(), f"{jobs}.tree", dmax=[3, 6], leaf=5, jobs=jobs, progress=False)
    for dmax in (3, 6):
        assert Path(f"1-{dmax}.tree").read_bytes() == Path(f"3-{dmax}.tree").read_bytes()


def test_trained_tree_beats_the_majority_and_its_agent_reaches_every_goal() -> None:
    (trained,) = pm.train(small_suite(20), "dt.tree", dmax=8, leaf=20, progress=False)
    assert trained.majority < trained.accuracy < 1
    assert trained.leaves > 1
    assert (trained.dmax, trained.problems, trained.file) == (8, 20, "dt.tree")
    content = json.loads(Path("dt.tree").read_text())
    assert content["training"]["accuracy"] == trained.accuracy
    assert content["training"]["moves"] == trained.moves
    agent = parse("lrta(d=dt, tree=dt.tree)")
    assert agent.label == "LRTA* (DT, G) dmax=8"
    run = pm.run(small_suite(12, seed=2), ["lrta(d=dt, tree=./dt.tree)", "lrta(d=oracle, dmax=8)"], progress=False)
    assert (run.records["status"] == "solved").all()
    oracle = run.records.filter(run.records["label"] == "LRTA* (ORACLE, G) dmax=8")
    assert oracle.height == 12
    assert oracle["expanded_max"].max() <= 15**2


def test_canonical_spec_has_the_hash_of_the_file_and_rejects_other_content() -> None:
    Path("sub").mkdir()
    write("a.tree", TREE)
    spec = parse("lrta(d=dt, tree=sub/../a.tree)").spec
    assert "tree=sub/../a.tree#" in spec
    assert parse(spec).spec == spec
    write("a.tree", TREE | {"n": 61})
    changed = r"the tree file sub/\.\./a\.tree has changed: its hash is \w{8}, not \w{8}"
    with pytest.raises(pm.InputError, match=changed):
        parse(spec)
    assert parse("lrta(d=dt, tree=a.tree)").spec != spec


def test_paths_are_not_ranges_and_trees_can_be_swept() -> None:
    Path("a").mkdir()
    Path("2..").mkdir()
    for path in ("a/dt.tree", "a/../7.tree", "a/../..x", "2../a.tree"):
        write(path, TREE)
    agents = expand("lrta(d=dt, tree={a/dt.tree, a/../7.tree, a/../..x, 2../a.tree})")
    assert len(agents) == 4


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": "other"}, "is not a decision tree of permove"),
        ({"version": 3}, "is of version 3, but this permove reads versions 1 to 2"),
        ({"version": 2}, "is damaged: its content does not match its checksum"),
        ({"features": "2012"}, 'is for the unknown features "2012"'),
        ({"features": "2007"}, "is damaged: presearch is 1, not 0..0"),
        ({"dmax": 0}, "is damaged: dmax is 0, not 1..1000"),
        ({"dmax": 2}, "is damaged: node 0: its depth is 3, not a depth from 1 to dmax=2"),
        ({"n": "many"}, 'is damaged: n is "many", not 1..100000'),
        ({"presearch": 10}, "is damaged: presearch is 10, not 1..9"),
        ({"nodes": []}, "is damaged: nodes is a list, not a list of nodes"),
        ({"nodes": [{"feature": 0, "threshold": 1, "left": 0, "right": 1}, LEAF]}, "its left is 0, not a node"),
        ({"nodes": [{"feature": 0, "threshold": 1, "left": 1, "right": 2}, LEAF]}, "its right is 2, not a node"),
        ({"nodes": [{"feature": 0, "threshold": 1, "left": 1, "right": 1}, LEAF]}, "node 1: it has two parents"),
        ({"nodes": [{"feature": 11, "threshold": 1, "left": 1, "right": 1}, LEAF]}, "its feature is 11, not a feature"),
        ({"nodes": [{"feature": 0, "threshold": None, "left": 1, "right": 1}, LEAF]}, "its threshold is null"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_tree_file_is_rejected_with_its_name_and_a_remedy(change: dict[str, Any], words: str) -> None:
    write("bad.tree", TREE | change)
    remedy = "use a file written by `permove train`, or train again"
    with rejects("lrta: the tree file bad.tree is ", words, end=remedy):
        parse("lrta(d=dt, tree=bad.tree)")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "-a", "lrta(d=dt)"], ["character 6", "d=dt needs a decision tree", "tree=FILE"]),
        (["run", "-a", "lrta(d=dt, tree=none)"], ["d=dt needs a decision tree"]),
        (["run", "-a", "lrta(d=dt, tree=nowhere.tree)"], ["character 12", "nowhere.tree cannot be read", "train"]),
        (["run", "-a", "lrta(d=dt, tree=note.txt)"], ["note.txt is not valid JSON (line 1"]),
        (["run", "-a", "lrta(d=dt, tree=good.tree, ties=random)"], ["fixed order of ties", "omit ties=random"]),
        (["run", "-a", "lrta(d=oracle, ties=random)"], ["omit ties=random"]),
        (["run", "-a", "lrta(d=3, tree=good.tree)"], ["only d=dt uses a decision tree"]),
        (["run", "-a", "lrta(d=oracle, dmax=0)"], ["dmax=0 is out of range", "dmax is 1..1000"]),
        (["run", "-a", "lrta(d=deep)"], ["d=deep is out of range", "1..1000 | dt | oracle"]),
        (["train", "embedded"], ["--output"]),
        (["train", "-o", "a.tree"], ["SUITE"]),
        (["train", "embeded", "-o", "a.tree"], ["embeded", "did you mean embedded"]),
        (["train", "embedded", "-o", "no/where.tree"], ["the folder no does not exist"]),
        (["train", "embedded", "-o", "."], ["is a folder"]),
        (["train", "embedded", "-o", "a b.tree"], ["a spec cannot contain the path"]),
        (["train", "embedded", "-o", "a.tree", "--dmax", "0"], ["dmax 0 is out of range"]),
        (["train", "embedded", "-o", "a.tree", "--dmax", "5", "1001"], ["dmax 1001 is out of range"]),
        (["train", "embedded", "-o", "a.tree", "--n", "0"], ["n 0 is out of range"]),
        (["train", "embedded", "-o", "a.tree", "--leaf", "0"], ["leaf 0 is out of range"]),
        (["train", "embedded", "-o", "a.tree", "--moves", "0"], ["moves"]),
        (["train", "embedded", "-o", "a.tree", "--ccp-alpha", "-1"], ["ccp_alpha"]),
        (["train", "embedded", "-o", "a.tree", "--presearch", "21"], ["presearch 21 is out of range"]),
        (["train", "embedded", "-o", "a.tree", "--presearch", "0"], ["presearch 0 is out of range"]),
        (["train", "embedded", "-o", "a.tree", "--features", "2007", "--presearch", "1"], ["2007 have no pre-search"]),
        (["train", "embedded", "-o", "a.tree", "--features", "2009"], ["unknown features '2009'", "2008, 2007"]),
        (["train", "embedded", "-o", "a.tree", "--map", "atlantis"], ["atlantis"]),
        (["train", "embedded", "-o", "a.tree", "--limit", "0"], ["limit 0 is out of range"]),
        (["train", "embedded", "-o", "a.tree", "--seed", "-1"], ["seed -1 is out of range"]),
        (["train", "embedded", "-o", "a.tree", "--jobs", "0"], ["jobs 0 is out of range"]),
        (["train", "one.scen", "-o", "a.tree"], ["1 moves are too few for training"]),
    ],
    ids=lambda value: " ".join(value) if value and isinstance(value, list) else str(value),
)
def test_bad_input_prints_one_line_and_changes_no_file(arguments: list[str], words: list[str]) -> None:
    write("good.tree", TREE)
    Path("note.txt").write_text("no tree")
    write_files(Path(), {"one.map": map_text([".."]), "one.scen": scen_text("0 one.map 2 1 0 0 1 0 1")})
    error = error_of("", *arguments)
    assert all(word in error for word in words), error


def test_train_command_makes_a_tree_for_each_depth_and_their_agents_run() -> None:
    train = "train embedded --map random-10-384 outdoor-woods-192 --limit 8 --dmax 3 5 --leaf 10 -o dt.tree"
    rows = json_of(train)
    assert [(row["dmax"], row["file"]) for row in rows] == [(3, "dt-3.tree"), (5, "dt-5.tree")]
    assert all(row["majority"] < row["accuracy"] <= 1 for row in rows)
    assert sorted(contents(Path())) == ["dt-3.tree", "dt-5.tree"]
    agents = ["lrta(d=dt, tree={dt-3.tree,dt-5.tree})", "lrta(d=oracle, dmax={3,5})"]
    labels = {row["label"] for row in json_of("run --map outdoor-woods-192 --limit 5 -a", *agents)}
    assert labels == {f"LRTA* ({kind}, G) dmax={dmax}" for kind in ("DT", "ORACLE") for dmax in (3, 5)}
    Path("map.map").write_bytes(map_text(["....@...", "........"]))
    invoke("solve map.map 0,0 7,0 -a 'lrta(d=dt, tree=dt-3.tree)'")


def test_table_of_trees_shows_the_accuracy() -> None:
    result = invoke("train embedded --map outdoor-woods-192 --limit 8 --features 2007 --dmax 3 -o dt.tree")
    for words in ("Decision trees from embedded", "accuracy", "dt.tree"):
        assert words in result.stdout
    assert result.stderr == ""
    content = json.loads(Path("dt.tree").read_text())
    assert (content["features"], content["n"], content["presearch"]) == ("2007", 20, 0)
    assert content["training"]["leaf"] == 200


def test_interrupted_training_leaves_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    # The first update of the progress comes long before the end of the training.
    monkeypatch.setattr(Bar, "update", lambda *_: signal.raise_signal(signal.SIGINT))
    result = invoke("train embedded --dmax 200 -o dt.tree", code=130)
    assert result.stdout == ""
    assert result.stderr == "permove: interrupted; unfinished trees are not written\n"
    assert not contents(Path())


def test_full_disk_leaves_the_old_tree() -> None:
    write("dt.tree", TREE)
    with full_disk():
        assert "No space left on device" in error_of(TRAIN)


def test_single_label_gives_a_tree_of_one_leaf() -> None:
    taught = Samples(np.zeros((50, 11), np.float32), np.full(50, 4, np.uint32))
    fitted = fit(taught, leaf=5, seed=0, jobs=1)
    assert fitted.nodes == [{"depth": 4}]
    assert fitted.accuracy == fitted.majority == 1
