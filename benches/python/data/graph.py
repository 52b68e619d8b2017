"""Objects that refer to each other: teams and their members, with links in both directions.

Forward links stay within a team, and mentors come earlier, so recursive libraries need no deeper stack than Python's
default.
"""

from __future__ import annotations

from random import Random

from .case import Case
from .text import full_name, slug


class Team:
    """Refers to its members, which refer to it."""

    lead: Person
    members: list[Person]

    def __init__(self, name: str) -> None:
        self.name = name
        self.members = []


class Person:
    """Knows others."""

    def __init__(self, id: int, name: str, team: Team, mentor: Person | None) -> None:  # noqa: A002
        self.id = id
        self.name = name
        self.team = team
        self.mentor = mentor
        self.friends: list[Person] = []


def make(count: int, seed: int) -> list[Person]:
    """Returns all persons; with the teams, they are this many objects."""
    random = Random(seed)
    people: list[Person] = []
    made = 0
    while made < count:
        team = Team(slug(random, 100))
        known = len(people)
        size = min(random.randrange(3, 13), max(count - made - 1, 1))
        for _ in range(size):
            mentor = people[random.randrange(known)] if known and random.random() < 0.5 else None
            team.members.append(Person(len(people), full_name(random), team, mentor))
            people.append(team.members[-1])
        team.lead = random.choice(team.members)
        for person in team.members:
            person.friends = random.sample(team.members, random.randrange(min(4, size + 1)))
        made += size + 1
    return people


CASES = [
    Case("graph", "graph", "{count} objects with cycles", 50_000, make, classes=(Person, Team))
]
