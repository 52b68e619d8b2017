/** Hostile names and deep data: keys are own properties, only registered classes are made, no stack overflows. */

import { expect, test } from "vitest";
import { dumps } from "../src/encoder.js";
import { loads } from "../src/message/read.js";
import { Decoder, register } from "../src/read.js";
import { Record } from "../src/values.js";

/** The message of a record or struct of one int field. */
function recordOf(name: string, value: number, struct?: string): Uint8Array {
  const key = new TextEncoder().encode(name);
  const head = struct === undefined ? [0x1a] : [0x19, 4 * struct.length, ...new TextEncoder().encode(struct)];
  return Uint8Array.from([0xc1, 0x10, ...head, 8, 4 * key.length, ...key, 3, 4 * value]);
}

test.each(["__proto__", "constructor", "toString", "hasOwnProperty"])("%s is an own property", (name) => {
  const object = loads(recordOf(name, 1)) as object;
  expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
  expect(Object.keys(object)).toEqual([name]);
  expect(Object.getOwnPropertyDescriptor(object, name)?.value).toBe(1);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

test.each(["__proto__", "constructor"])("a field %s of a class is an own property of its object", (name) => {
  class Held {}
  const types = [[Held, { name: "Held" }]] as const;
  const object = new Decoder({ types }).loads(recordOf(name, 1, "Held")) as object;
  expect(object).toBeInstanceOf(Held);
  expect(Object.getPrototypeOf(object)).toBe(Held.prototype);
  expect(Object.getOwnPropertyDescriptor(object, name)?.value).toBe(1);
});

test("a tuple of any length needs no deep stack", () => {
  // long_tuple(list(null)) of 200,000 rows.
  const tuple = loads(Uint8Array.from([0xc1, 0x10, 0x22, 0x0c, 0x00, 0x16, 0x01, 0x03, 0x6a, 0x18]));
  expect(tuple).toHaveLength(0x186a03 >> 3);
});

test("a struct of an unknown class is a Record", () => {
  expect(loads(recordOf("x", 1, "Point"))).toEqual(new Record("Point", { x: 1 }));
});

test("a registered class decodes its fields", () => {
  class Point {
    constructor(readonly x: number) {}
  }
  register(Point, { name: "geometry.Point", encode: ({ x }) => ({ x }), decode: ({ x }: Point) => new Point(x) });
  const point = loads(recordOf("x", 1, "geometry.Point"));
  expect(point).toBeInstanceOf(Point);
  expect((point as Point).x).toBe(1);
});

test("a record of an unknown name is no class, whatever its name", () => {
  expect(loads(recordOf("x", 1, "__proto__"))).toEqual(new Record("__proto__", { x: 1 }));
});

test("a chain of a million records needs no deep stack", () => {
  const n = 1_000_000;
  // #0 where #0 = record {next: option(#0)}: all but the last have a next.
  const bits = new Uint8Array(n / 8).fill(255);
  bits[bits.length - 1] = 127;
  const head = [0xc1, 0x12, 2, 0x1f, 0, 0x1a, 8, 16, 0x6e, 0x65, 0x78, 0x74, 0x15, 0x1f, 0];
  const count = n * 8 + 3;
  const rows = [count & 255, (count >> 8) & 255, count >> 16];
  const bytes = Uint8Array.from([...head, ...rows, 0x52, ...bits]);
  let depth = 0;
  let at = loads(bytes) as { next: unknown } | null;
  for (; at !== null; at = at.next as typeof at) depth++;
  expect(depth).toBe(n);
});

test.each([
  ["auto", 1, 2n ** 60n],
  ["bigint", 1n, 2n ** 60n],
] as const)("int: %s", (int, small, large) => {
  const decoder = new Decoder({ int });
  expect(decoder.loads(Uint8Array.of(0xc1, 0x10, 7, 2))).toBe(small);
  expect(decoder.loads(Uint8Array.of(0xc1, 0x10, 7, 255, 0, 0, 0, 0, 0, 0, 0, 16))).toBe(large);
});

test('int: "number" refuses what a number does not hold', () => {
  const read = (): unknown =>
    new Decoder({ int: "number" }).loads(Uint8Array.of(0xc1, 0x10, 7, 255, 0, 0, 0, 0, 0, 0, 0, 16));
  expect(read).toThrow(expect.objectContaining({ code: "unrepresentable" }));
});

test("values that were read do not change with the bytes, nor the bytes with them", () => {
  const bytes = dumps([Float64Array.from({ length: 9 }, (_, i) => i), Uint8Array.of(1, 2, 3), new ArrayBuffer(2)]);
  const given = bytes.slice();
  const value = loads(bytes) as [Float64Array, Uint8Array, ArrayBuffer];
  value[0].fill(7);
  value[1].fill(7);
  new Uint8Array(value[2]).fill(7);
  expect(bytes).toEqual(given);
  bytes.fill(0);
  expect(value).toEqual([new Float64Array(9).fill(7), new Uint8Array(3).fill(7), Uint8Array.of(7, 7).buffer]);
});
