"""Requested classes: which of them a value becomes, and how its fields become those of an object."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .._errors import Mismatch, field_step, inside, listed, quoted
from .._holdall import Samples
from . import _kinds
from ._defaults import defaults_of
from ._described import made
from ._fields import TypedFields
from ._fitted import fitted
from ._making import Decoding, _fill_attributes, _plain_decoding, decoding, no_upgrade
from ._objects import rebuild
from ._registry import Registration, names_that_count, of_attributes, options_of, split_version

#: A field that is not read is worse than any number of those left to defaults.
_UNREAD = 1 << 32
#: Fits a value to the node with this number.
Fit = Callable[[int, Any], Any]


class TypedDecoding(Decoding):
    """How to create objects of a class whose fields must have its annotated types."""

    #: Fits a value to the node with this number, if the compiled half cannot.
    fit: Fit | None = None
    #: Whether `chosen` compares how badly objects fit their fields.
    counts_misfits: bool = False
    #: Functions registered for single attributes, and the node of their results.
    changed: dict[str, tuple[Callable[[Any], Any], int]] = made(factory=dict)
    registration: Registration | None = None
    #: How to create objects from data of other versions.
    others: dict[int, Decoding] = made(factory=dict)
    #: How to create objects of the subclasses that data may name, by these names.
    subclasses: dict[str, TypedDecoding] = made(factory=dict)
    #: The names of those whose objects a registered function makes.
    made_by_function: set[str] = made(factory=set)

    def is_named(self, name: str) -> bool:
        """Whether a name in data refers to this class, in any version, or to a subclass that data may name."""
        return name in self.names or split_version(name)[0] in self.bases

    def of_name(self, name: str) -> Decoding | None:
        """How to create objects from data of another version or subclass; None for its own version, and for names of
        other classes.
        """
        base, version = split_version(name)
        if name in self.names or base not in self.bases:
            return None
        subclass = self.subclass(name)
        if subclass is not None:
            return subclass.of_name(name) or subclass
        return self.of_version(version)

    def add_subclass(self, name: str, subclass: TypedDecoding) -> None:
        """Lets data name a subclass."""
        self.subclasses[name] = subclass
        self.bases.add(name)

    def subclass(self, name: str) -> TypedDecoding | None:
        """The subclass of a name in data."""
        found = self.subclasses.get(name)
        return found or self.subclasses.get(split_version(name)[0])

    def of_version(self, version: int) -> Decoding | None:
        """The same, by version number."""
        registration = self.registration
        if registration is None or version == registration.version:
            return None
        if registration.upgrade is None:
            raise no_upgrade(registration, version)
        found = self.others.get(version)
        if found is None:
            found = self.others[version] = self._other(version)
        return found

    def _other(self, version: int) -> Decoding:
        def build(fields: dict[str, Any]) -> Any:
            return self._complete(self._current(fields, version))

        def fill(value: Any, fields: dict[str, Any]) -> None:
            self._finish(value, self._current(fields, version))

        # Objects that can exist before their fields, and so can contain themselves.
        if self.build is None and self.new is not None:
            return Decoding("fill", new=self.new, fill=fill)
        return Decoding("build", build=build)

    def make(self, name: str | None, fields: Mapping[str, Any]) -> Any:
        """Creates an object from fields as they were read, by the Python half alone."""
        subclass = None if name is None or name in self.names else self.subclass(name)
        if subclass is not None:
            return subclass.make(name, fields)
        other = None if name is None else self.of_name(name)
        if other is not None:
            return _made(other, dict(fields))
        value = self._complete(self._fitted(fields))
        self._pay(value, fields)
        return value

    def _pay(self, value: Any, given: Mapping[str, Any]) -> None:
        """Charges what an object takes beyond its rows."""
        samples = fitted().samples
        own = samples.get(self)
        if own is None:
            own = samples[self] = Samples()
        attributes = self.attributes or {}
        own.pay(value, tuple(attributes.get(name, name) for name in given))

    def _current(self, fields: dict[str, Any], version: int) -> dict[str, Any]:
        """The fields of the class after its upgrade hook has converted those of another version."""
        registration = self.registration
        assert registration is not None
        assert registration.upgrade is not None
        answer = registration.upgrade(fields, version)
        if not isinstance(answer, dict):
            raise TypeError(f"upgrade of {registration.name!r} returned {answer!r}, not a dict")
        return self._fitted(answer)

    def _fitted(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The fields by attribute, each with the type that the class gives it."""
        fit = self.fit
        assert fit is not None
        made: dict[str, Any] = {}
        misfit = 0
        chosen = None if self.attributes is None else names_that_count(fields, self.attributes)
        for name, value in fields.items():
            attribute = name if self.attributes is None else self.attributes.get(name)
            if attribute is None or (chosen is not None and chosen[attribute] != name):
                if attribute is None and self.deny_extra:
                    raise Mismatch(
                        "only fields of the class",
                        f"{quoted(name)}; add it to the class, or allow extra fields",
                        "unknown_field",
                    )
                misfit += _UNREAD
                continue
            made[attribute] = inside(field_step(name), fit, self.nodes.get(name, 0), value)
        for name in self.required:
            attribute = name if self.attributes is None else self.attributes[name]
            if attribute not in made:
                raise Mismatch(
                    f"the field {quoted(name)}, which has no default",
                    f"{listed(fields)}; give it a default to read data without it",
                    "missing_field",
                )
        if self.counts_misfits:
            misfit += len(set(self.fields.values()) - made.keys())
            fitted().misfit += misfit
        for _, attribute, default, factory in self.defaults:
            if attribute not in made:
                made[attribute] = default if factory is None else factory()
        return made

    def _complete(self, fields: dict[str, Any]) -> Any:
        if self.kind == "dict":
            return fields
        if self.build is not None:
            return self.build(fields)
        assert self.new is not None
        value = self.new()
        self._finish(value, fields)
        return value

    def _finish(self, value: Any, fields: dict[str, Any]) -> None:
        if self.fill is not None:
            self.fill(value, fields)
            return
        _fill_attributes(frozenset(self.slots), value, fields)
        if self.post is not None:
            self.post(value)

    def change(self, fields: dict[str, Any]) -> None:
        """Applies the functions registered for single fields."""
        fit = self.fit
        assert fit is not None
        for attribute, (function, node) in self.changed.items():
            if attribute in fields:
                step = field_step(attribute)
                changed = inside(step, function, fields[attribute])
                fields[attribute] = inside(step, fit, node, changed)


def _made(how: Decoding, fields: dict[str, Any]) -> Any:
    if how.build is not None:
        return how.build(fields)
    assert how.new is not None
    assert how.fill is not None
    value = how.new()
    how.fill(value, fields)
    return value


def begun(cls: Any, *, fit: Fit, deny_extra: bool) -> TypedDecoding:
    """How to create objects of a class, without its fields: their types may refer to the class. `complete` adds
    them.
    """
    if _kinds.is_typed_dict(cls):
        registration, plain = None, Decoding("dict")
    else:
        registration = options_of(cls)
        plain = _plain_decoding(cls, frozenset(), registration, None)
    own = TypedDecoding(**plain.described())
    own.cls, own.fit, own.registration, own.deny_extra = cls, fit, registration, deny_extra
    own.names = _current_names(cls, registration)
    own.bases = {registration.name, *registration.aliases} if registration else set()
    return own


def complete(
    own: TypedDecoding,
    fields: TypedFields,
    node_of: Callable[[str], int],
    tag_node: Callable[[Any], int],
) -> None:
    """Adds the fields of the class; ``node_of`` returns the node of an attribute, ``tag_node`` that of a tag."""
    registration = own.registration or Registration("")
    own.tag = fields.tag
    rename = registration.rename
    decode = registration.decode if isinstance(registration.decode, Mapping) else {}
    own.nodes, own.fields = {}, {}
    others: list[tuple[str, str, int]] = []

    def is_left_out(attribute: str) -> bool:
        chosen = registration.fields
        return attribute in registration.skip or (chosen is not None and attribute not in chosen)

    for attribute in fields.names:
        name = rename.get(attribute, attribute)
        try:
            node = 0 if attribute in fields.open else node_of(attribute)
        except TypeError:
            # What is not packed need not have a type of data, such as a lock.
            if not is_left_out(attribute):
                raise
            continue
        if attribute in decode:
            own.changed[attribute] = (decode[attribute], node)
            node = 0
        aliases = registration.field_aliases.get(attribute, ())
        own.nodes[name], own.fields[name] = node, attribute
        others += [
            (each, attribute, node) for each in (*fields.aliases.get(attribute, ()), *aliases)
        ]

    # The name of a field is no other name of another one (F-79).
    for each, attribute, node in others:
        if each not in own.fields:
            own.nodes[each], own.fields[each] = node, attribute

    def in_data(attributes: list[str]) -> list[str]:
        return [
            rename.get(attribute, attribute)
            for attribute in attributes
            if not is_left_out(attribute)
        ]

    own.required = in_data(fields.required)
    own.needed = in_data(fields.required if fields.needed is None else fields.needed)
    own.deny_extra = own.deny_extra or fields.deny_extra
    if own.tag is not None:
        # It is unnamed in data, and becomes no attribute.
        own.fields.setdefault(own.tag[0], "<tag>")
        own.nodes.setdefault(own.tag[0], tag_node(own.tag[1]))
    if fields.are_all:
        own.attributes = dict(own.fields)
    if own.kind == "fields":
        own.defaults = defaults_of(own.cls, all_of_them=True)
    if fields.build is not None:
        own.kind, own.build, own.new, own.fill = "build", fields.build, None, None
    if own.kind == "construct" and own.tag is not None:
        # The class does not accept the tag.
        own.kind = "build"
    own.post = fields.post
    _finish_in_python(own, {} if fields.are_all else registration.attributes)


def _finish_in_python(own: TypedDecoding, renamed: Mapping[str, str]) -> None:
    """The steps from fields to object that the compiled half leaves to Python: names, functions of single fields,
    checks.
    """
    build, fill, slots, post = own.build, own.fill, frozenset(own.slots), own.post
    is_simple = own.kind in ("fields", "dict") or post is None
    if is_simple and not own.changed and not renamed:
        return

    def prepare(fields: dict[str, Any]) -> dict[str, Any]:
        fields = of_attributes(fields, renamed)
        own.change(fields)
        return fields

    if build is not None:

        def built(fields: dict[str, Any]) -> Any:
            value = build(prepare(fields))
            if post is not None:
                post(value)
            return value

        own.kind, own.build, own.post = "build", built, None
        return

    def filled(value: Any, fields: dict[str, Any]) -> None:
        if fill is not None:
            fill(value, prepare(fields))
        else:
            _fill_attributes(slots, value, prepare(fields))
        if post is not None:
            post(value)

    own.kind, own.fill, own.slots, own.post = "fill", filled, set(), None


def _current_names(cls: Any, registration: Registration | None) -> set[str]:
    """The names in data of the current version of a class."""
    names = _kinds.names_of(cls)
    if registration is not None and registration.version > 1:
        stored = {registration.name, *registration.aliases}
        names = (names - stored) | {f"{name}@{registration.version}" for name in stored}
    return names


# ---- subclasses ----


class OwnForm(TypedDecoding):
    """A class whose objects have what its own methods returned: these decide, and no annotations."""

    def of_name(self, name: str) -> Decoding:
        plain = decoding(self.cls, (), split_version(name)[1])
        if plain.build is None and not plain.is_by_keys:
            return plain
        return Decoding("build", build=functools.partial(self.make, name))

    def make(self, name: str | None, fields: Mapping[str, Any]) -> Any:
        return rebuild(self.cls, name or "", fields)


def refused(cls: type, error: TypeError) -> TypedDecoding:
    """A class whose fields cannot be read as types, which matters only to data that name it."""

    def build(_: dict[str, Any]) -> Any:
        raise error.with_traceback(None)

    own = TypedDecoding("build", cls=cls, build=build)
    own.fit = lambda _, value: value
    return own


def apart(classes: Sequence[TypedDecoding]) -> list[TypedDecoding]:
    """The classes of a union, so that each name belongs to one of them: a class itself has its name, and the first one
    has the names of its subclasses.
    """
    taken = {name for own in classes for name in own.names | (own.bases - own.subclasses.keys())}
    made = []
    for own in classes:
        double = taken & own.subclasses.keys()
        taken |= own.subclasses.keys()
        if double:
            subclasses = {n: each for n, each in own.subclasses.items() if n not in double}
            own = own.replaced(subclasses=subclasses, bases=own.bases - double)
        made.append(own)
    return made


# ---- which class a value becomes ----


class Choice(Exception):  # noqa: N818 (never reaches a user)
    """Several classes fit equally well."""


def choose(
    classes: Sequence[TypedDecoding],
    name: str | None,
    fields: Mapping[str, Any],
    *,
    must_fit: bool,
) -> TypedDecoding | None:
    """The class that a value with these fields becomes.

    A name or tag that only one class has decides. Otherwise it is, of the classes whose required fields are all there,
    the one that leaves the fewest fields unread, and then the one that leaves the fewest fields to defaults. If
    several remain, it raises `Choice`. The compiled half does the same in `sink/class.rs`.
    """
    among = list(classes)
    if name is not None:
        named = [each for each in among if each.is_named(name)]
        if len(named) == 1:
            return named[0]
        among = named or among
    if len(among) == 1 and not must_fit:
        return among[0]
    tagged = [each for each in among if each.tag is not None and each.tag[0] in fields]
    if tagged:
        of_tag = [each for each in tagged if each.tag == (each.tag[0], fields[each.tag[0]])]  # type: ignore[index]
        if len(of_tag) == 1:
            return of_tag[0]
        among = of_tag or [each for each in among if each not in tagged]
    keys = list(fields)
    best: tuple[int, int] | None = None
    chosen: list[TypedDecoding] = []
    for each in among:
        given = {each.fields[key] for key in keys if key in each.fields}
        if not all(each.fields[needed] in given for needed in each.needed):
            continue
        rank = (len(keys) - len(given), len(set(each.fields.values())) - len(given))
        if best is None or rank < best:
            best, chosen = rank, []
        if rank == best:
            chosen.append(each)
    if len(chosen) > 1:
        raise Choice(" and ".join(each.title for each in chosen))
    return chosen[0] if chosen else None
