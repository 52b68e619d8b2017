/** Each kind of JavaScript value comes back as it was, and packs to the same bytes again. */

import { expect, test } from "vitest";
import { dumps, loads, Record, register } from "../../src/index.js";

class Point {
  constructor(
    readonly x: number,
    readonly y: number,
  ) {}
}
register(Point, { name: "tests.Point" });

const self: { me: unknown[] } = { me: [] };
self.me.push(self, undefined);
const failure = new RangeError("inside itself");
failure.cause = { failure };

const VALUES: { readonly [name: string]: unknown } = {
  undefined: [undefined, { a: undefined }],
  numbers: [0, -0, 1.5, Number.NaN, Infinity, 2 ** 53, -(2 ** 53) + 1, 2n ** 70n],
  "lone surrogates": ["\ud800", "a\udfffb", "😀"],
  bytes: [new Uint8Array([1, 2]), new ArrayBuffer(3), new DataView(new ArrayBuffer(2)), new Uint8ClampedArray([1])],
  "typed arrays": [
    new Int8Array([-1]),
    new Uint16Array([1]),
    new Float32Array([0.5]),
    new BigInt64Array([-5n]),
    new Float64Array([1, 2]),
  ],
  dates: [new Date(0), new Date(-1), new Date(Number.NaN)],
  maps: [
    new Map(),
    new Map([["a", 1]]),
    new Map<unknown, unknown>([
      [1, { a: 1 }],
      [null, "x"],
    ]),
  ],
  sets: [new Set(), new Set([1, "a", null])],
  "urls and patterns": [new URL("https://example.org/a?b#c"), /a+\/[b]/giu],
  errors: [new TypeError("bad", { cause: new Error("deep") }), new AggregateError([new Error("a"), 1], "many")],
  "an error inside itself": failure,
  "objects of odd keys": JSON.parse('{"__proto__": {"a": 1}, "constructor": 2, "2020-01-01": 3, "": 4}'),
  classes: [new Point(1, 2), new Record("tests.Unknown", { b: 1, a: [2] })],
  cycles: self,
};

for (const [name, value] of Object.entries(VALUES)) {
  test(name, () => {
    const bytes = dumps(value);
    const back = loads(bytes);
    expect(back).toEqual(value);
    expect(Buffer.compare(dumps(back), bytes)).toBe(0);
  });
}

test("refuses what has no data, with its path", () => {
  for (const value of [() => 1, Symbol("a"), new WeakMap(), Promise.resolve(), new (class A {})()]) {
    expect(() => dumps({ list: [1, new Map([["key", value]])] })).toThrow(
      expect.objectContaining({ code: "unsupported_value", path: "$.list[1][0]" }),
    );
  }
});

test("takes values of any depth", { timeout: 60_000 }, () => {
  let value: unknown = 1;
  for (let i = 0; i < 200_000; i++) value = i % 2 ? [value] : { next: value };
  expect(dumps(value).length).toBeLessThan(100_000);
});

test("refuses keys that are equal in the format", () => {
  expect(() =>
    dumps(
      new Map<unknown, unknown>([
        [1, 0],
        [1n, 0],
      ]),
    ),
  ).toThrow(expect.objectContaining({ code: "duplicate_key" }));
});

test("without references a cycle is too deep", () => {
  expect(() => dumps(self, { references: false, limits: { depth: 1000 } })).toThrow(
    expect.objectContaining({ code: "limit_depth" }),
  );
});

test("limits the bytes of a message", () => {
  expect(() => dumps("x".repeat(100), { limits: { output: 99 } })).toThrow(
    expect.objectContaining({ code: "limit_output" }),
  );
});
