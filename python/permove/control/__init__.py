"""Training of decision trees that choose the lookahead depth of LRTA* (dynamic-control-2008, Section 5.1)."""

from permove.control.train import Trained, train

__all__ = ["Trained", "train"]
