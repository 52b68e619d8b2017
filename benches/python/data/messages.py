"""Messages that are packed one at a time, each unlike the one before: events, posts, features of maps, records of five kinds."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from .case import Case
from .text import WORDS, full_name, mail, slug

Message = dict[str, Any]

#: The links that each repository has.
LINKS = [
    "keys",
    "branches",
    "tags",
    "hooks",
    "events",
    "forks",
    "issues",
    "labels",
    "merges",
    "milestones",
    "pulls",
    "statuses",
    "teams",
    "trees",
]


def digest(random: Random) -> str:
    return f"{random.getrandbits(160):040x}"


def words(random: Random, most: int) -> str:
    return " ".join(random.choice(WORDS) for _ in range(random.randrange(1, most)))


def user(random: Random) -> Message:
    login = slug(random, 10_000)
    return {
        "id": random.randrange(10**8),
        "login": login,
        "gravatar_id": "",
        "url": f"https://api.example.org/users/{login}",
        "avatar_url": f"https://avatars.example.org/u/{random.randrange(10**8)}?",
    }


def push(random: Random, name: str) -> Message:
    commits = [
        {
            "sha": digest(random),
            "author": {"email": mail(random), "name": full_name(random)},
            "message": words(random, 12),
            "distinct": True,
            "url": f"https://api.example.org/repos/{name}/commits/{digest(random)}",
        }
        for _ in range(random.choice((1, 1, 1, 2, 5)))
    ]
    return {
        "push_id": random.randrange(10**9),
        "size": len(commits),
        "ref": "refs/heads/main",
        "head": digest(random),
        "before": digest(random),
        "commits": commits,
    }


def issue(random: Random, name: str) -> Message:
    number = random.randrange(1, 2000)
    labels = random.sample(("bug", "feature", "question"), random.randrange(3))
    return {
        "action": "opened",
        "issue": {
            "url": f"https://api.example.org/repos/{name}/issues/{number}",
            "id": random.randrange(10**8),
            "number": number,
            "title": words(random, 8),
            "user": user(random),
            "labels": [{"name": label, "color": digest(random)[:6]} for label in labels],
            "state": "open",
            "assignee": None if number % 3 else user(random),
            "milestone": None,
            "comments": random.randrange(9),
            "created_at": "2024-01-10T07:58:30Z",
            "closed_at": None,
            "body": words(random, 60),
        },
    }


def fork(random: Random, name: str) -> Message:
    links = {f"{link}_url": f"https://api.example.org/repos/{name}/{link}" for link in LINKS}
    counts = {"size": random.randrange(999), "watchers": 0, "open_issues": 0}
    return {"forkee": {**links, "id": random.randrange(10**8), **counts, "language": None}}


def star(random: Random, _: str) -> Message:
    return {"action": random.choice(("started", "stopped"))}


EVENTS = {"PushEvent": push, "IssuesEvent": issue, "ForkEvent": fork, "WatchEvent": star}


def event(random: Random) -> Message:
    name = f"{slug(random, 1000)}/{random.choice(WORDS)}"
    kind = random.choice(list(EVENTS))
    made: Message = {
        "id": str(random.randrange(10**10)),
        "type": kind,
        "actor": user(random),
        "repo": {"id": random.randrange(10**7), "name": name},
        "payload": EVENTS[kind](random, name),
        "public": True,
        "created_at": "2024-01-10T07:58:30Z",
    }
    if random.random() < 0.3:
        made["org"] = user(random)
    return made


def post(random: Random, quotes: bool = True) -> Message:
    tags = [
        {"text": random.choice(WORDS), "indices": [at * 9, at * 9 + 8]}
        for at in range(random.randrange(3))
    ]
    links = [
        {"url": f"https://t.example/{digest(random)[:10]}", "indices": [60, 83]}
        for _ in range(random.randrange(2))
    ]
    number = random.randrange(10**17, 10**18)
    author = user(random) | {
        "name": full_name(random),
        "location": random.choice(("", words(random, 3))),
        "description": words(random, 20),
        "followers_count": random.randrange(10_000),
        "friends_count": random.randrange(1000),
        "created_at": "Wed Apr 13 11:58:22 +0000 2011",
        "utc_offset": random.choice((None, 3600, -18000)),
        "time_zone": random.choice((None, "London")),
        "verified": False,
        "lang": "en",
        "profile_background_color": digest(random)[:6],
        "profile_use_background_image": random.random() < 0.5,
        "default_profile": random.random() < 0.5,
        "following": False,
    }
    made: Message = {
        "metadata": {"result_type": "recent", "iso_language_code": "en"},
        "created_at": "Sun Aug 31 00:29:15 +0000 2014",
        "id": number,
        "id_str": str(number),
        "text": words(random, 20),
        "source": '<a href="https://example.org" rel="nofollow">web</a>',
        "truncated": False,
        "in_reply_to_status_id": random.choice((None, number - 1)),
        "user": author,
        "geo": None,
        "coordinates": None,
        "retweet_count": random.randrange(100),
        "entities": {"hashtags": tags, "symbols": [], "urls": links, "user_mentions": []},
        "favorited": False,
        "lang": "en",
    }
    if quotes and random.random() < 0.4:
        # It has a key that the outer one lacks, as a rule: with the same keys, the data would be recursive.
        made["retweeted_status"] = post(random, quotes=False) | {"possibly_sensitive": False}
    return made


def feature(random: Random) -> Message:
    x, y = random.uniform(-140, -60), random.uniform(45, 80)
    ring = []
    for _ in range(random.randrange(5, 40)):
        x, y = x + random.gauss(0, 0.05), y + random.gauss(0, 0.03)
        ring.append([round(x, 6), round(y, 6)])
    return {
        "type": "Feature",
        "properties": {"name": words(random, 3), "population": random.randrange(10**6)},
        "geometry": {"type": "Polygon", "coordinates": [ring]},
    }


def of_five(random: Random) -> Message:
    made: list[Message] = [
        {"id": random.randrange(10**6), "name": full_name(random)},
        {"a": random.random(), "b": [random.randrange(9) for _ in range(3)], "c": {"d": None}},
        {"event": "click", "at": random.randrange(10**9), "props": {"x": 1, "y": 2}},
        {"u": slug(random, 99), "v": True, "w": mail(random), "t": ["p", "q"]},
        {word: random.randrange(100) for word in WORDS[:8]},
    ]
    return made[random.randrange(5)]


def some(make: Callable[[Random], Message]) -> Callable[[int, int], list[Message]]:
    def make_some(count: int, seed: int) -> list[Message]:
        random = Random(seed)
        return [make(random) for _ in range(count)]

    return make_some


CASES = [
    Case(name, "messages", f"{{count}} {about}, one message each", 60, some(make))
    for name, about, make in (
        ("events", "events of a code forge", event),
        ("posts", "posts of a social network", post),
        ("features", "features of a map", feature),
        ("five-shapes", "dicts of five shapes", of_five),
    )
]
