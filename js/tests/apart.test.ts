/** What JavaScript does not keep apart stays apart. */

import { expect, test } from "vitest";
import { dumps, FrozenSet, Logical, loads } from "../src/index.js";

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
