/** What JavaScript does not keep apart stays apart. */

import { expect, test } from "vitest";
import { dumps, FrozenSet, Logical, loads } from "../src/index.js";
import { Schema } from "../src/schema.js";

const SET = 0x0a;
const FROZEN_SET = 0x0b;

test.each([
  [SET, [-0, 1.5]],
  [SET, [0, -0]],
  [SET, [Number.NaN, Number.NaN]],
  [FROZEN_SET, [-0]],
])("a set %i of members %j is a Logical with its members", (kind, members) => {
  const bytes = dumps(new Logical(kind, new Uint8Array(), members));
  const value = loads(bytes) as Logical;
  expect(value).toBeInstanceOf(Logical);
  expect(value.storage).toEqual(members);
  expect(dumps(value)).toEqual(bytes);
});

test.each([
  [SET, [0, 1.5], new Set([0, 1.5])],
  [FROZEN_SET, [0.5, "x"], new FrozenSet([0.5, "x"])],
])("a set %i of members %j is a set", (kind, members, set) => {
  expect(loads(dumps(new Logical(kind, new Uint8Array(), members)))).toEqual(set);
});

const pair = new Map([[1, 2]]);

test.each([
  ["an empty object after a Map", [pair, {}]],
  ["an empty object between Maps", [{}, pair, {}, pair]],
  ["an object after a Map", [pair, { a: 1 }, {}]],
  ["an object whose keys are data before a Map", [{ "2020-01-01": 1 }, pair, {}]],
  ["a key with a lone surrogate", [{ "\ud800": 1 }, new Map([["\ud800", 1]]), {}]],
])("%s stays an object", (_, written) => {
  const bytes = dumps(written);
  for (const options of [{}, { schema: Schema.of(bytes) }]) expect(loads(bytes, options)).toStrictEqual(written);
  expect(dumps(loads(bytes))).toEqual(bytes);
});

test("an object that contains itself stays one beside a Map", () => {
  const object: { [key: string]: unknown } = { "2020-01-01": 1 };
  object["2020-01-02"] = object;
  const bytes = dumps([object, pair]);
  for (const options of [{}, { schema: Schema.of(bytes) }]) {
    const [read, map] = loads(bytes, options) as [typeof object, unknown];
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
    expect(read["2020-01-02"]).toBe(read);
    expect(map).toEqual(pair);
  }
});

test("an empty object that occurs twice after a Map is one object", () => {
  const empty = {};
  const [, a, b] = loads(dumps([pair, empty, empty])) as unknown[];
  expect(a).toEqual({});
  expect(a).toBe(b);
});
