/** Large arrays are copied once, into the message, with the bytes that copies of small parts have. */

import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { Encoder, loads } from "../../src/index.js";

const DEFERRED_LEN = 2 ** 16;
const value = {
  before: new Uint8Array(DEFERRED_LEN).fill(1),
  small: Uint8Array.of(1, 2, 3),
  floats: Float64Array.from({ length: 20_000 }, (_, i) => i / 8),
  parts: [1, 2, 3, 4].map((byte) => new Uint8Array(DEFERRED_LEN + byte).fill(byte)),
  tensors: [0, 1].map((byte) => new Int8Array(DEFERRED_LEN).fill(byte)),
  after: "end",
};

test("large arrays come back, and a message with a checksum has the same bytes beside it", () => {
  const encoder = new Encoder();
  const message = encoder.encode(value);
  expect(isDeepStrictEqual(loads(message), value)).toBe(true);
  expect(message.buffer.byteLength).toBe(message.length);
  // F-67: the flags, their extension, the length, the columns that are aligned to 64 bytes, the checksum.
  const checked = new Encoder({ checksum: true }).encode(value);
  expect(isDeepStrictEqual(loads(checked), value)).toBe(true);
  const from = message.indexOf(1, 200);
  const moved = checked.indexOf(1, 200);
  expect(Buffer.compare(checked.subarray(moved, -4), message.subarray(from))).toBe(0);
});

test("a message does not change with the arrays", () => {
  const array = new Float64Array(DEFERRED_LEN);
  const message = new Encoder().encode([array]);
  array.fill(1);
  expect(isDeepStrictEqual(loads(message), [new Float64Array(DEFERRED_LEN)])).toBe(true);
});

test("the same encoder writes small messages after large and failed ones", () => {
  const encoder = new Encoder({ limits: { output: 3 * DEFERRED_LEN } });
  const small = encoder.encode({ a: [1] });
  for (const each of [value, { parts: value.parts }]) {
    expect(() => encoder.encode(each)).toThrow(expect.objectContaining({ code: "limit_output" }));
    expect(encoder.encode({ a: [1] })).toEqual(small);
  }
  const all = new Encoder().encode(value.before);
  expect(Buffer.compare(new Encoder({ limits: { output: all.length } }).encode(value.before), all)).toBe(0);
  expect(() => new Encoder({ limits: { output: all.length - 1 } }).encode(value.before)).toThrow("limit_output");
});
