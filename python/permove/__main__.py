"""`python -m permove` is the command line."""

import sys

from permove.cli import main

if __name__ == "__main__":
    sys.exit(main())
