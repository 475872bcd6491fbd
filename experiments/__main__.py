"""``python -m mr``."""

import sys

from experiments.engine.cli import main

sys.exit(main())
