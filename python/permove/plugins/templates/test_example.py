"""Tests of EXAMPLE: `python -m unittest -v test_EXAMPLE`."""

import tempfile
import unittest
from pathlib import Path

import permove as pm

PLUGIN = Path(__file__).parent / "FILE"
SPEC = f"{PLUGIN}:AGENT"


class Tests(unittest.TestCase):
    """What an agent should promise."""

    def test_it_reaches_every_goal_and_keeps_to_the_rules(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            run = pm.run("embedded", [SPEC], maps=["rooms-128"], limit=10, out=folder)
            self.assertEqual(run.records["status"].to_list(), ["solved"] * 10)

    # Take this one away once your agent does something of its own.
    def test_it_walks_as_the_built_in_one_does(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            run = pm.run("embedded", [SPEC, "BASELINE"], maps=["rooms-128"], limit=10, out=folder)
            counts = ["problem", "moves", "expanded", "touched", "learned"]
            ours, theirs = run.records.select("agent", *counts).partition_by("agent", include_key=False)
            self.assertTrue(ours.equals(theirs))


if __name__ == "__main__":
    unittest.main()
