"""Training decision trees that choose how far LRTA* looks ahead, after dynamic-control-2008, Section 5.1."""

from permove.control.train import Trained, train

__all__ = ["Trained", "train"]
