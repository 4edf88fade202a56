"""The claims of the text: quote, section, predicate, and the check that gives the result.

A claim is judged with every table and figure that it belongs to; the item `claims` judges all of them.
"""

from permove.papers.claim import Claim, Unchecked
from permove.papers.dynamic_control.study import Evidence
from permove.papers.dynamic_control_2008.claims import global_goals, offline, state_of_the_art, subgoals

CLAIMS: tuple[Claim[Evidence] | Unchecked, ...] = (
    *state_of_the_art.CLAIMS,
    *offline.CLAIMS,
    *subgoals.CLAIMS,
    *global_goals.CLAIMS,
)
