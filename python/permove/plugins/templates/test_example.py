"""Tests of EXAMPLE: `python -m unittest -v test_EXAMPLE`."""

import tempfile
import unittest
from pathlib import Path

import permove as pm

PLUGIN = Path(__file__).parent / "FILE"
SPEC = f"{PLUGIN}:AGENT"


class Tests(unittest.TestCase):
    """Behaviour that an agent should have."""

    def test_reaches_every_goal_with_legal_moves(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            run = pm.run("embedded", [SPEC], maps=["rooms-128"], limit=10, out=folder)
            self.assertEqual(run.records["status"].to_list(), ["solved"] * 10)

    # Remove this test when your agent differs from the built-in one.
    def test_has_the_same_counts_as_the_built_in_agent(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            run = pm.run("embedded", [SPEC, "BASELINE"], maps=["rooms-128"], limit=10, out=folder)
            counts = ["problem", "moves", "expanded", "touched", "learned"]
            plugin, built_in = run.records.select("agent", *counts).partition_by("agent", include_key=False)
            self.assertTrue(plugin.equals(built_in))


if __name__ == "__main__":
    unittest.main()
