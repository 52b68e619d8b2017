/** Lists of a few numbers in a list, which are added without a walk of their own. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { dumps, loads } from "../../src/index.js";

const number = fc.oneof(fc.integer(), fc.double(), fc.constant(-0));
const list = fc.oneof(fc.array(fc.integer(), { maxLength: 20 }), fc.array(number, { maxLength: 4 }));
const other = fc.constantFrom(null, "x", [null], [[1]], { a: 1 }, 5);
const lists = fc.array(fc.oneof({ weight: 9, arbitrary: list }, other), { maxLength: 30 });

/** Integers as bigints, which are walked one by one and have the same bytes. */
function walked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(walked);
  return Number.isSafeInteger(value) && !Object.is(value, -0) ? BigInt(value as number) : value;
}

test("they have the bytes of lists that are walked", () => {
  fc.assert(
    fc.property(lists, (value) => {
      expect(dumps(value, { references: false })).toEqual(dumps(walked(value), { references: false }));
    }),
    { numRuns: 1000 },
  );
});

test("one that occurs twice is one", () => {
  fc.assert(
    fc.property(lists, fc.nat(), fc.nat(), (value, from, to) => {
      value.splice(to % (value.length + 1), 0, value[from % (value.length + 1)] ?? 1);
      const back = loads(dumps(value)) as unknown[];
      const firsts = (items: unknown[]) => items.map((item) => (typeof item === "object" ? items.indexOf(item) : -1));
      expect(back).toEqual(value);
      expect(firsts(back)).toEqual(firsts(value));
    }),
    { numRuns: 1000 },
  );
});

test("they are refused where lists nest too deep", () => {
  const value = Array.from({ length: 5 }, () => [1.5, 2.5]);
  expect(() => dumps(value, { limits: { depth: 2 } })).toThrow("limit_depth");
  expect(dumps(value, { limits: { depth: 3 } })).toEqual(dumps(value));
});
