/** Small messages whose kinds and keys are known are written in one walk, with the bytes that a new encoder writes. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type EncodeOptions, Encoder, loads, register } from "../../src/index.js";

const scalar = fc.oneof(
  fc.constantFrom(null, true, false, 0, -0, 1.5, Number.NaN, 2 ** 52, 2 ** 52 + 2, -(2 ** 53) + 1, 2 ** 60, 2n ** 70n),
  fc.constantFrom("", "text", "é", "x".repeat(100), "é".repeat(70), "\ud800", Uint8Array.of(1, 2), new Date(7)),
  fc.integer(),
  fc.double(),
  fc.string({ maxLength: 90 }),
);
const list = fc.oneof(
  fc.array(fc.integer(), { maxLength: 20 }),
  fc.array(fc.string({ maxLength: 5 }), { maxLength: 20 }),
  fc.array(fc.double(), { maxLength: 6 }),
  fc.array(scalar, { maxLength: 3 }),
);
const inner = fc.record({ a: scalar, b: fc.constantFrom(1, "x") }, { requiredKeys: ["a"] });
const values: [string, fc.Arbitrary<unknown>][] = [
  ["scalars", scalar],
  ["lists", list],
  ["records", fc.record({ id: fc.integer(), name: scalar, inner, list }, { requiredKeys: ["id", "inner"] })],
  ["records in lists", fc.record({ id: fc.integer(), rows: fc.array(inner, { maxLength: 2 }) })],
  ["records in each other", fc.constantFrom({ a: { a: 1 } }, { a: { b: { a: 1 } } }, { a: {} }, { a: { a: {} } }, {})],
  ["keys that are data", fc.dictionary(fc.constantFrom("2020-01-01", "2020-01-02", "name", "\ud800"), fc.nat())],
  ["a key twice", inner.map((row) => ({ b: row, a: row.b, c: { b: 1 } }))],
  ["an object twice", inner.chain((row) => fc.constantFrom({ x: row, y: row }, { x: row, y: { ...row } }))],
];

const OPTIONS: EncodeOptions[] = [
  {},
  { profile: "fast" },
  { schema: "fingerprint" },
  { schema: "none" },
  { references: false },
];

/** The message and the schema beside it, or the error. */
function written(encoder: Encoder, value: unknown): unknown {
  try {
    return [Buffer.from(encoder.encode(value)).toString("hex"), encoder.schema];
  } catch (error) {
    return String(error);
  }
}

describe.each(OPTIONS)("with options %j", (options) => {
  test.each(values)("%s have the bytes of a new encoder", (_, value) => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 2, maxLength: 12 }), (given) => {
        const encoder = new Encoder(options);
        for (const each of [...given, ...given])
          expect(written(encoder, each)).toEqual(written(new Encoder(options), each));
      }),
      { numRuns: 60 },
    );
  });
});

/** An encoder that has learned some values. */
function taught(...given: unknown[]): Encoder {
  const encoder = new Encoder();
  for (let i = 0; i < 3; i++) for (const each of given) encoder.encode(each);
  return encoder;
}

test("an object inside itself is not taken for a known one", () => {
  const encoder = taught({ next: { next: { next: null } } });
  const cycle: { next?: object } = {};
  cycle.next = cycle;
  expect(encoder.encode(cycle)).toEqual(new Encoder().encode(cycle));
});

test("a getter can write a message", () => {
  const encoder = taught({ a: 1, b: "x" });
  const bytes = encoder.encode({
    a: 1,
    get b() {
      return String(encoder.encode({ a: 2, b: "y" }).length);
    },
  });
  expect(loads(bytes)).toEqual({ a: 1, b: "13" });
});

test("a getter that throws leaves the encoder as it was", () => {
  const encoder = taught({ a: 1, b: "x" });
  const failing = {
    a: 1,
    get b(): string {
      throw new RangeError("no");
    },
  };
  expect(() => encoder.encode(failing)).toThrow(RangeError);
  expect(encoder.encode({ a: 1, b: "x" })).toEqual(new Encoder().encode({ a: 1, b: "x" }));
});

test("a class that is registered later is written as itself", () => {
  const encoder = taught({ at: new Date(5) });
  register(Date, { name: "some.Date", encode: (date) => ({ ms: date.getTime() }), decode: ({ ms }) => new Date(ms) });
  expect(encoder.encode({ at: new Date(5) })).toEqual(new Encoder().encode({ at: new Date(5) }));
});

test("keys without end are forgotten", () => {
  const encoder = new Encoder();
  for (let i = 0; i < 12_000; i++) {
    const value = { [`key${i}`]: { [`inner${i}`]: i } };
    const bytes = encoder.encode(value);
    if (i % 1000 === 0) expect(bytes).toEqual(new Encoder().encode(value));
  }
});

test("messages are copies", () => {
  const encoder = taught({ a: "first" });
  const first = encoder.encode({ a: "first" });
  encoder.encode({ a: "other" });
  expect(loads(first)).toEqual({ a: "first" });
  expect(first.buffer.byteLength).toBe(first.length);
});
