"""Exchange of results with other programs: frames and scenarios out of runs, results of other programs into runs."""

from typing import TYPE_CHECKING

from permove.common.lazy import lazy

if TYPE_CHECKING:
    from permove.exchange.exporting import export as export
    from permove.exchange.importing import import_results as import_results

_MODULES = {"export": "exporting", "import_results": "importing"}

__all__ = [*_MODULES]
__getattr__ = lazy(__name__, _MODULES)
