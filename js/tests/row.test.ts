/** Small messages are read row by row, and as columns if that fails: with one result, one budget, and the same faults. */

import { describe, expect, test } from "vitest";
import { Decoder, dumps, HoldallError, loads, open } from "../src/index.js";

const VALUES: [string, unknown][] = [
  ["scalars", { a: 1, b: "text", c: true, d: null, e: 0.5, f: -7, g: 2 ** 53 - 1 }],
  ["big integers", { a: 2n ** 63n, b: -(2n ** 200n), c: 2n ** 64n - 1n }],
  ["lists", { a: [], b: [1], c: [1, 2, 3, 4, 5], d: [["x"], ["y", "z"]], e: [{ x: 1 }, { x: 2 }] }],
  ["texts", { a: "", b: "é", c: "x".repeat(300), d: "😀".repeat(60), e: "\u0000\u007f\u0080" }],
  ["logical types", { a: new Date(5), b: new Set([1]), c: new Map([["k", 1]]), d: /x/g }],
  ["bytes", { a: Uint8Array.of(1, 2), b: Float64Array.of(1, 2) }],
  ["keys", JSON.parse('{"__proto__": {"x": 1}, "constructor": 2, "7": 3}')],
  ["unlike items", [1, "x", null, { a: 1 }, { b: 2 }]],
];

/** The code and offset of an error. */
function faultOf(read: () => unknown): unknown {
  try {
    read();
  } catch (error) {
    if (error instanceof HoldallError) return [error.code, error.offset];
    throw error;
  }
  return undefined;
}

describe.each(VALUES)("%s", (_, value) => {
  const bytes = dumps(value);

  test("are what was written", () => {
    expect(loads(bytes)).toEqual(value);
    expect(Object.keys(loads(bytes) as object)).toEqual(Object.keys(value as object));
  });

  test("cost what their columns cost", () => {
    let budget = 0;
    while (faultOf(() => open(bytes, { budget })) !== undefined) budget++;
    expect(faultOf(() => new Decoder({ budget }).loads(bytes))).toBeUndefined();
    if (budget > 0) expect(faultOf(() => new Decoder({ budget: budget - 1 }).loads(bytes))).toContain("limit_budget");
  });

  test("have the faults of their columns", () => {
    const decoder = new Decoder();
    for (let i = 0; i < bytes.length; i++) {
      expect(faultOf(() => decoder.loads(bytes.subarray(0, i)))).toEqual(faultOf(() => open(bytes.subarray(0, i))));
      for (const bit of [1, 16, 128]) {
        const changed = bytes.slice();
        changed[i]! ^= bit;
        const found = faultOf(() => open(changed).value);
        expect(faultOf(() => decoder.loads(changed))).toEqual(found);
      }
    }
  });
});

test("integers of one row become what the option says", () => {
  const bytes = dumps({ a: 1, b: 2n ** 60n });
  expect(loads(bytes, { int: "bigint" })).toEqual({ a: 1n, b: 2n ** 60n });
  expect(faultOf(() => loads(bytes, { int: "number" }))).toEqual(["unrepresentable", undefined]);
});
