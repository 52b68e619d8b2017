"""requests-cache: responses as messages.

>>> import requests_cache
>>> from holdall.integrations.requests_cache import serializer
>>> session = requests_cache.CachedSession(backend="memory", serializer=serializer)

requests-cache turns a response into a dict first, so no class need be allowed.
"""

from __future__ import annotations

from requests_cache.serializers import SerializerPipeline, Stage
from requests_cache.serializers.preconf import base_stage

from ._serializer import Serializer

#: For ``CachedSession(serializer=...)`` with any backend that stores bytes.
serializer = SerializerPipeline([base_stage, Stage(Serializer())], name="holdall", is_binary=True)
