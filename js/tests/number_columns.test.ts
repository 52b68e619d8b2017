/** Columns of numbers are typed arrays: over the buffer where the data have them as the array has them. */

import { describe, expect, test } from "vitest";
import { dumps, Exact, type ExactType, loads, open } from "../src/index.js";
import { Writer } from "../src/stream.js";

const N = 3000;

/** Rows whose field `x` is of one type. */
function rowsOf(type: ExactType | undefined, value: (row: number) => number | bigint): object[] {
  return Array.from({ length: N }, (_, i) => {
    const x = value(i);
    return { x: type === undefined ? x : new Exact(type, x) };
  });
}

/** Numbers that have all bits of a width in use. */
const scattered = (bits: number) => (i: number) => Number(BigInt.asUintN(bits, (BigInt(i) + 1n) * 0x9e3779b97f4a7c15n));
const scattered64 = (i: number) => BigInt.asUintN(64, (BigInt(i) + 1n) * 0x9e3779b97f4a7c15n);

type Case = [type: ExactType | undefined, array: { readonly name: string }, value: (row: number) => number | bigint];

/** Columns whose bytes are raw. */
const RAW: Case[] = [
  ["u8", Uint8Array, scattered(8)],
  ["u16", Uint16Array, scattered(16)],
  ["u32", Uint32Array, scattered(32)],
  [undefined, Uint8Array, scattered(8)],
  [undefined, Uint16Array, scattered(16)],
  [undefined, Uint32Array, scattered(32)],
  ["f32", Float32Array, (i) => Math.fround(Math.sin(i + 1))],
  ["f64", Float64Array, (i) => Math.sin(i + 1)],
];

/** Columns that are decoded. */
const COPIED: Case[] = [
  ["i8", Int8Array, (i) => scattered(8)(i) - 128],
  ["i16", Int16Array, (i) => scattered(16)(i) - 32768],
  ["i32", Int32Array, (i) => scattered(32)(i) - 2 ** 31],
  ["u16", Uint16Array, (i) => i % 7],
  ["u32", Uint32Array, (i) => 4_000_000_000 + (i % 7)],
  ["u64", Float64Array, (i) => 2 ** 52 - i],
  ["i64", Float64Array, (i) => i - 2 ** 40],
  [undefined, Int32Array, (i) => (i * 7919) % 1000],
  [undefined, Float64Array, (i) => -(2 ** 45) + ((i * 7919) % 1000)],
  ["f16", Float32Array, (i) => (i % 9) / 4],
];

/** The same bytes at each place in memory up to a multiple of 8. */
function shifted(bytes: Uint8Array): Uint8Array[] {
  return Array.from({ length: 8 }, (_, by) => {
    const moved = new Uint8Array(bytes.length + 8).subarray(by, by + bytes.length);
    moved.set(bytes);
    return moved;
  });
}

describe.each(["fast", "balanced"] as const)("in profile %s", (profile) => {
  test.each([...RAW, ...COPIED])("a column of %s is a %o", (type, array, value) => {
    const rows = rowsOf(type, value);
    const column = open(dumps(rows, { profile })).column("x") as Float64Array;
    expect(column.constructor).toBe(array);
    expect(Array.from(column)).toEqual(Array.from({ length: N }, (_, i) => value(i)));
    expect(Array.from(column)).toEqual((loads(dumps(rows, { profile })) as { x: number }[]).map(({ x }) => x));
  });
});

test.each(RAW)(
  "a column of raw %s (%o) is over the buffer at places that are aligned, else a copy",
  (type, _, value) => {
    const bytes = dumps(rowsOf(type, value), { profile: "fast" });
    const columns = shifted(bytes).map((each) => [each, open(each).column("x") as Float64Array] as const);
    const over = columns.filter(([each, column]) => column.buffer === each.buffer);
    expect(over.length).toBe(8 / columns[0]![1].BYTES_PER_ELEMENT);
    for (const [, column] of columns) expect(Array.from(column)).toEqual(Array.from(columns[0]![1]));
  },
);

test.each([
  ["u64", BigUint64Array, scattered64],
  ["i64", BigInt64Array, (i: number) => BigInt.asIntN(64, scattered64(i))],
  [undefined, BigInt64Array, (i: number) => BigInt.asIntN(64, scattered64(i))],
] as const)("a column of raw %s is over the buffer with bigint, and as loads reads it else", (type, array, value) => {
  const rows = rowsOf(type, value);
  const bytes = dumps(rows, { profile: "fast" });
  const values = Array.from({ length: N }, (_, i) => value(i));
  const columns = shifted(bytes).map((each) => [each, open(each, { int: "bigint" }).column("x")] as const);
  for (const [, column] of columns) {
    expect(column).toBeInstanceOf(array);
    expect(Array.from(column)).toEqual(values);
  }
  expect(columns.filter(([each, column]) => (column as BigInt64Array).buffer === each.buffer).length).toBe(1);
  const read = (loads(bytes) as { x: unknown }[]).map(({ x }) => x);
  expect(Array.from(open(bytes).column("x"))).toEqual(read);
  expect(() => open(bytes, { int: "number" }).column("x")).toThrow(
    expect.objectContaining({ code: "unrepresentable" }),
  );
});

test("with bigint, integers of any width are a BigInt64Array, and an array where one is beyond", () => {
  const small = open(dumps(rowsOf(undefined, (i) => i)), { int: "bigint" }).column("x");
  expect(small).toBeInstanceOf(BigInt64Array);
  expect(small[7]).toBe(7n);
  const large = open(dumps(rowsOf(undefined, (i) => (i === 5 ? 2n ** 63n : i))), { int: "bigint" }).column("x");
  expect(Array.isArray(large)).toBe(true);
  expect([large[5], large[6]]).toEqual([2n ** 63n, 6n]);
});

test("blocks of a stream with integers of unlike kinds are one array", async () => {
  const values = [
    ...Array.from({ length: 50 }, (_, i) => i),
    ...Array.from({ length: 50 }, (_, i) => 2n ** 62n + BigInt(i)),
  ];
  const chunks: Uint8Array[] = [];
  const writer = new Writer(chunks, { blockRows: 50 });
  for (const x of values) await writer.write({ x });
  await writer.close();
  const bytes = Uint8Array.from(Buffer.concat(chunks));
  expect(Array.from(open(bytes).column("x"))).toEqual(values);
  const bigs = open(bytes, { int: "bigint" }).column("x");
  expect(bigs).toBeInstanceOf(BigInt64Array);
  expect(Array.from(bigs)).toEqual(values.map(BigInt));
});
