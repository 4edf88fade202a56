"""The claims of the paper in its order. Those that records cannot decide are omitted."""

from permove.papers.graph_abstraction_2007.claims import dominance, trends

CLAIMS = (
    *trends.PARAMETERS,
    *dominance.SINGLE_MEASURES,
    *dominance.PAIRS,
    *trends.EFFECTS,
    *trends.SCALING,
    *dominance.THEOREMS,
    *dominance.FULL_SEARCH,
    *dominance.CONCLUSIONS,
    *dominance.INDIVIDUAL,
    *trends.INTERPLAY,
)
