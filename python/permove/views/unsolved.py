"""Sentences that state the rule for unsolved problems."""

from permove.analysis.unsolved import Coverage, Unsolved


def unsolved_note(rule: Unsolved, found: Coverage, what: str = "Values are") -> str:
    """Return which problems and trials the values of a table are over."""
    agents = f"all {found.ranked:,} ranked agents" if found.ranked > 1 else "the only ranked agent"
    some = f"the {found.counted:,} of {counted(found.problems, 'problem')} that {agents}"
    if not found.counted:
        verb = "solved" if rule.cap is None else "were run on"
        note = f"There are no values, since there is no problem that {agents} {verb} (--unsolved {rule.name})."
    elif rule.cap is None and found.counted < found.problems:
        note = f"{what} over {some} solved (--unsolved exclude)."
    elif rule.cap is not None and found.capped:
        problems = f"{some} were run on" if found.counted < found.problems else counted(found.counted, "problem")
        trials = "1 unsolved trial counts" if found.capped == 1 else f"{found.capped:,} unsolved trials count"
        note = f"{what} over {problems}; {trials} as {rule.cap:,g} times the optimum (--unsolved cap)."
    elif found.counted < found.problems:
        note = f"{what} over {some} were run on."
    else:
        note = f"{what} over {counted(found.counted, 'problem')}, solved by {agents}."
    if found.unranked:
        agents, verb = counted(found.unranked, "agent"), "is" if found.unranked == 1 else "are"
        note += f" {agents} that solved no problem {verb} not ranked."
    return note


def counted(count: int, noun: str) -> str:
    """Format a count with its noun, as in "1 problem" and "2 problems"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
