/** What a `Writer` takes at once is what cannot fail. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { Decimal, dumps } from "../../src/index.js";
import { isPlain } from "../../src/infer/plain.js";

test("a plain value can be written", () => {
  const odd = fc.constantFrom(
    () => 1,
    Symbol("x"),
    new WeakMap(),
    Promise.resolve(),
    new Date(1),
    new Date(Number.NaN),
  );
  const value = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSparseArray: true,
    withNullPrototype: true,
  });
  const given = fc.oneof(value, fc.array(fc.oneof(odd, value), { maxLength: 3 }), fc.dictionary(fc.string(), odd));
  fc.assert(
    fc.property(given, (each) => {
      if (isPlain(each)) dumps(each, { profile: "fast" });
    }),
    { numRuns: 3000 },
  );
});

const cycle: unknown[] = [];
cycle.push(cycle);
let doubled: unknown = 1;
for (let i = 0; i < 60; i++) doubled = [doubled, doubled];

test.each([
  ["scalars", [1, "x", null, undefined, true, 1n, "\ud800", { a: [new Date(1)] }], true],
  ["a function", { a: [() => 1] }, false],
  ["a class", [new Decimal(0, 1, 0)], false],
  ["a cycle", cycle, false],
  ["objects in two places, without end", doubled, false],
  ["many objects", Array.from({ length: 5000 }, () => ({})), false],
])("%s", (_, value, plain) => {
  expect(isPlain(value)).toBe(plain);
});
