"""Words, names and addresses for values: those of the benchmark of Rust types."""

from __future__ import annotations

from random import Random

# fmt: off
WORDS = [
    "amber", "basin", "cedar", "delta", "ember", "fjord", "grove", "harbor", "inlet", "jade",
    "kelp", "linen", "maple", "north", "olive", "pearl", "quartz", "river", "slate", "timber",
    "umbra", "valley", "willow", "yarrow", "zephyr",
]
FIRST = [
    "Ada", "Björn", "Chloé", "Dmitri", "Elena", "Farid", "Grace", "Hana", "Ibrahim", "Jun",
    "Katya", "Luis", "Mei", "Noor", "Olu", "Priya", "Quentin", "Rosa", "Søren", "Tomás", "Uma",
    "Victor", "Wren", "Ximena", "Yusuf", "Zoë",
]
LAST = [
    "Abe", "Bianchi", "Castro", "Dubois", "Eriksen", "Fischer", "García", "Hughes", "Ivanova",
    "Jensen", "Kowalski", "Larsen", "Müller", "Nakamura", "Okafor", "Petrov", "Quispe", "Rossi",
    "Silva", "Tanaka", "Umarov", "Vargas", "Weber", "Xu", "Yılmaz", "Zhang",
]
# fmt: on


def slug(random: Random, bound: int) -> str:
    """Two words and a number: `amber-river-17`."""
    return f"{random.choice(WORDS)}-{random.choice(WORDS)}-{random.randrange(bound)}"


def full_name(random: Random) -> str:
    return f"{random.choice(FIRST)} {random.choice(LAST)}"


def mail(random: Random) -> str:
    """Returns an address that is almost always unique."""
    return f"{random.choice(WORDS)}.{random.randrange(1 << 30)}@{random.choice(WORDS)}.example"


def skewed(random: Random, bound: int) -> int:
    """Returns small numbers more often than large ones, as in data from people."""
    return random.randrange(random.randrange(bound) + 1)
