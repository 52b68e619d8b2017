"""``python -m holdall`` is the command ``holdall``."""

import io
import signal
import sys

from . import _holdall


def main() -> int:
    """The command, with the arguments of this process."""
    # Like other commands, an interrupt ends it at once, without a traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    arguments = sys.argv[1:]
    # Only then is the module worth its import.
    if arguments[:1] == ["pack"]:
        from ._impl import _command

        status = _command.run(arguments[1:])
        if status is not None:
            return status
    return _holdall.run(["holdall", *arguments], _open_url)


def _open_url(url: str) -> io.RawIOBase:
    # Only URLs need these modules.
    from ._impl import _files, _parts

    path = _files.path_of(url)
    return _parts.PartFile(url) if path is None else io.FileIO(path)


if __name__ == "__main__":
    sys.exit(main())
