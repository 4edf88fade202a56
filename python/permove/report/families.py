"""Families: agents that differ only in the values of parameters, which share a colour and a mark in plots."""

import re
from collections.abc import Sequence

import polars as pl

MAX_FAMILIES = 6
"""Maximum number of families of one algorithm; an algorithm with more kinds of labels is a single family."""

_VALUE = re.compile(r"[^\s(,]+=[^\s),]+")


def values_in(label: str) -> str:
    """Return the values of parameters in a label, such as `k=10`."""
    return ", ".join(_VALUE.findall(label))


def names_of(agents: pl.DataFrame) -> list[str]:
    """Return the labels of agents, or the specs of agents that share a label."""
    return agents.select(pl.when(pl.col("label").is_unique()).then("label").otherwise("agent")).to_series().to_list()


def families_of(specs: Sequence[str], labels: Sequence[str]) -> tuple[list[str], list[int]]:
    """Return the families, and the number of each agent's family.

    Agents of a family differ only in the values of parameters. A family is a label without its `name=value` parts. If
    the labels of an algorithm contain values in other forms, the family is the algorithm's name.
    """
    kinds = [re.sub(r"\([^()]*=[^()]*\)|\S+=\S+", "", label).strip(" ,").replace(" ,", ",") for label in labels]
    algorithms = [spec.partition("(")[0] for spec in specs]
    labels_of: dict[str, set[str]] = {}
    for algorithm, kind in zip(algorithms, kinds, strict=True):
        labels_of.setdefault(algorithm, set()).add(kind)
    names = [
        kind if kind and len(labels_of[algorithm]) <= MAX_FAMILIES else algorithm
        for algorithm, kind in zip(algorithms, kinds, strict=True)
    ]
    families = list(dict.fromkeys(names))
    return families, [families.index(name) for name in names]
