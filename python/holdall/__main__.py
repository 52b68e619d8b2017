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
    is_table = any(name in each for each in arguments for name in ("parquet", "arrow", "feather"))
    if is_table and arguments[0] in ("pack", "unpack"):
        from . import _command

        if _command.wants(arguments):
            return _command.run(arguments)
    if arguments[:1] == ["pack"]:
        # Only Python has the classes of pickles.
        from ._pickles import command

        if command.is_asked(arguments):
            return command.run(arguments[1:])
    return _holdall.run(["holdall", *arguments])


if __name__ == "__main__":
    sys.exit(main())
