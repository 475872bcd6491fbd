"""``python -m mr``."""

import sys

from mr.cli import main

sys.exit(main())
