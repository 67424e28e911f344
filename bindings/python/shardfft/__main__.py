"""``python -m shardfft`` is the command ``shardfft``."""

import sys

from ._command import main

sys.exit(main())
