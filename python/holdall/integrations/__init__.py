"""holdall in place of pickle in caches, queues, sessions, checkpoints and between processes: one module for each library.

Nothing is imported until you import a module. `docs/python/integrations.md` lists them all, with what was tested.

Data may name only classes that are registered or in ``types=``. Any other class is an error, never a
`Record`: code of a framework expects its own classes.

>>> from holdall.integrations import Serializer
>>> serializer = Serializer(types=[])
>>> serializer.loads(serializer.dumps({"name": "Ada"}))
{'name': 'Ada'}
"""

from ._counters import CounterSerializer
from ._serializer import MEDIA_TYPE, Serializer, SerializerOptions

__all__ = ["MEDIA_TYPE", "CounterSerializer", "Serializer", "SerializerOptions"]
