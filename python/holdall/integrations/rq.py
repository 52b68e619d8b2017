"""RQ: jobs, their metadata and results as messages.

::

    from holdall.integrations.rq import Serializer

    queue = rq.Queue("mail", connection=redis, serializer=Serializer)
    worker = rq.Worker([queue], connection=redis, serializer=Serializer)

On the command line: ``rq worker --serializer holdall.integrations.rq.Serializer mail``. RQ imports the function that a job
names, so this keeps out foreign objects, not foreign jobs. Register the classes of arguments and results.

>>> from holdall.integrations.rq import Serializer
>>> Serializer.loads(Serializer.dumps(("mail.send", None, ("Ada",), {})))
('mail.send', None, ('Ada',), {})
"""

from . import _serializer


class Serializer:
    """RQ uses the class itself, and passes its name to workers."""

    _serializer = _serializer.Serializer()
    dumps = _serializer.dumps
    loads = _serializer.loads
