"""``python -m holdall`` is the command ``holdall``."""

import signal
import sys

from . import _holdall


def main() -> int:
    """The command, with the arguments of this process."""
    # Like other commands, an interrupt ends it at once, without a traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    arguments = sys.argv[1:]
    # Only then is the module worth its import.
    if arguments[:1] in (["pack"], ["unpack"]):
        from ._impl import _command

        status = _command.run(arguments)
        if status is not None:
            return status
    return _holdall.run(["holdall", *arguments])


if __name__ == "__main__":
    sys.exit(main())
