/** An encoder that keeps sites writes what a new one writes, whatever it wrote before. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { dumps, Encoder } from "../../src/index.js";
import { keyOf } from "../../src/infer/kept.js";

const scalar = fc.oneof(
  fc.constantFrom(null, undefined, true, false, 0, -0, 1.5, "", "text", "\ud800", 2n ** 70n),
  fc.integer(),
  fc.double(),
);
const row = fc.record({ a: scalar, b: fc.constantFrom(null, 1, "x") }, { requiredKeys: ["a"] });
const message = fc.record(
  {
    id: fc.integer(),
    name: fc.oneof(fc.string(), fc.constant(null)),
    inner: fc.oneof(row, fc.constant({}), fc.constant({ "2020-01-01": 1 }), fc.constant({ inner: {} })),
    list: fc.array(fc.oneof(row, scalar), { maxLength: 5 }),
    more: fc.oneof(fc.constant(new Date(1)), fc.constant(new Set([1])), fc.constant(new Map([[1, 2]])), scalar),
  },
  { requiredKeys: ["id", "name"] },
);

test("kept sites never show in the bytes", { timeout: 120_000 }, () => {
  fc.assert(
    fc.property(fc.array(message, { minLength: 2, maxLength: 40 }), (messages) => {
      for (const profile of ["fast", "balanced"] as const) {
        const encoder = new Encoder({ profile });
        for (const each of [...messages, ...messages]) {
          expect(Buffer.compare(encoder.encode(each), dumps(each, { profile }))).toBe(0);
        }
      }
    }),
    { numRuns: 300 },
  );
});

test("a value that fails leaves nothing to the next one", () => {
  const encoder = new Encoder();
  for (let i = 0; i < 3; i++) encoder.encode({ id: i, list: [i] });
  expect(() => encoder.encode({ id: 1, list: [2, () => 1] })).toThrow(expect.objectContaining({ path: "$.list[1]" }));
  expect(encoder.encode({ id: 1, list: [2] })).toEqual(dumps({ id: 1, list: [2] }));
});

test("the items of typed arrays are no keys of the object that holds them", () => {
  expect(keyOf({ a: new Float64Array(9), b: { c: new Uint8Array(3) }, d: [1] })).toBe("a;b,c;d;");
});
