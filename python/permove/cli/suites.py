"""`permove suites`: list the suites of problems."""

from permove.cli.options import FormatOption, OutputOption
from permove.data.listing import suites as listed
from permove.report.formats import Format, show

EXAMPLES = ("permove suites", "permove suites --format json -o suites.json")


def suites(format: FormatOption = Format.TABLE, output: OutputOption = None) -> None:
    """List the suites of problems.

    The table shows their numbers of maps and problems. Some of MovingAI's collections have only maps.
    """
    show(listed(), "Suites", format, output)
