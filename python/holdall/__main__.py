"""``python -m holdall`` is the command ``holdall``."""

import signal
import sys

from . import _holdall


def main() -> int:
    """The command, with the arguments of this process."""
    # Like other commands, an interrupt ends it at once, without a traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _holdall.run(["holdall", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
