/** Streams that are written and appended to: their bytes, blocks, sinks, and what a failure leaves. */

import { mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Exact } from "../../src/exact.js";
import { Reader, type WriteOptions, Writer } from "../../src/stream.js";
import { Record } from "../../src/values.js";
import { open as openView } from "../../src/view.js";

/** The first example of chapter 14. */
const EXAMPLE = [
  "C1 F1 68 6F 6C 64 0D 0A",
  "A1 B2 C3 D4 E5 F6 07 18",
  "A1 B2 C3 D4 E5 F6 07 18",
  "53 02 00 00 00 00 00 00 00 00 00 00",
  "7E AB A5 11 5E AA 5C 2F",
  "67 C0 6B 45",
  "00 04",
  "00 00",
  "66 AC 9D A2",
  "A1 B2 C3 D4 E5 F6 07 18",
  "42 03 00 00 00 00 00 01 00 00 00 00",
  "7E AB A5 11 5E AA 5C 2F",
  "9B A3 CA 81",
  "10 05 06",
  "00",
  "85 34 A4 92",
  "A1 B2 C3 D4 E5 F6 07 18",
  "45 14 00 00 00 00 00 02 00 00 00 00",
  "00 00 00 00 00 00 00 00",
  "6E C7 43 E8",
  "04 0A 00 0A 04",
  "00 00 00 00 00 00 00",
  "60 00 00 00 00 00 00 00",
  "42 F6 44 0D",
].join(" ");
const SYNC = Uint8Array.from([0xa1, 0xb2, 0xc3, 0xd4, 0xe5, 0xf6, 0x07, 0x18]);

function hex(chunks: Uint8Array[]): string {
  return Buffer.concat(chunks)
    .toString("hex")
    .toUpperCase()
    .replace(/(..)(?!$)/g, "$1 ");
}

test("a stream of two values is the one of the spec", async () => {
  const chunks: Uint8Array[] = [];
  const writer = new Writer(chunks, { sync: SYNC });
  await writer.write(new Exact("u8", 5));
  await writer.write(new Exact("u8", 6));
  await writer.close();
  expect(hex(chunks)).toBe(EXAMPLE);
});

test("all kinds of sinks take the same bytes", async () => {
  const write = async (target: unknown) => {
    const writer = new Writer(target, { sync: SYNC, blockRows: 3, metadata: { host: "one" } });
    for (let i = 0; i < 10; i++) await writer.write({ i, data: Uint8Array.of(i) });
    await writer.close();
  };
  const chunks: Uint8Array[] = [];
  await write(chunks);
  const expected = hex(chunks);
  const web: Uint8Array[] = [];
  await write(new WritableStream({ write: (chunk) => void web.push(chunk) }));
  expect(hex(web)).toBe(expected);
  const node: Uint8Array[] = [];
  await write(
    new Writable({
      write(chunk, _, done) {
        node.push(chunk);
        done();
      },
    }),
  );
  expect(hex(node)).toBe(expected);
  const folder = await mkdtemp(join(tmpdir(), "holdall-"));
  const handle = await open(join(folder, "log.hold"), "w");
  await write(handle);
  await handle.close();
  expect(hex([await readFile(join(folder, "log.hold"))])).toBe(expected);
  await rm(folder, { recursive: true });
});

test("a value that fails leaves nothing in the stream", async () => {
  const chunks: Uint8Array[] = [];
  const writer = new Writer(chunks, { sync: SYNC });
  await writer.write({ a: 1 });
  await expect(writer.write({ b: [1, () => 1] })).rejects.toMatchObject({ code: "unsupported_value", path: "$.b[1]" });
  await writer.write({ a: 2 });
  await writer.close();
  const others: Uint8Array[] = [];
  const other = new Writer(others, { sync: SYNC });
  for (const a of [1, 2]) await other.write({ a });
  await other.close();
  expect(hex(chunks)).toBe(hex(others));
});

test("objects of a class with more than 256 fields in all are in several blocks", async () => {
  const values = [0, 1, 2].map((i) => {
    const names = Array.from({ length: 100 }, (_, j) => [`f${100 * i + j}`, j]);
    return new Record("Wide", Object.fromEntries(names));
  });
  expect(await blocksOf(values, {})).toEqual([2, 1]);
});

test("a value may change after it was written", async () => {
  const chunks: Uint8Array[] = [];
  const writer = new Writer(chunks);
  const bytes = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);
  await writer.write([bytes]);
  bytes.fill(9);
  await writer.close();
  expect(hex(chunks)).toContain("01 02 03 04 05 06 07 08");
});

async function blocksOf(values: unknown[], options: WriteOptions): Promise<number[]> {
  const chunks: Uint8Array[] = [];
  const writer = new Writer(chunks, options);
  for (const value of values) await writer.write(value);
  await writer.close();
  const blocks: number[] = [];
  for await (const block of new Reader(chunks).blocks()) blocks.push(block.length);
  return blocks;
}

test("a block is written when its values take blockBytes, or when there are blockRows", async () => {
  // Of each text a byte besides its characters, of each record 8.
  const texts = Array.from({ length: 40 }, (_, i) => ({ text: `${i % 10}`.repeat(100) }));
  expect(await blocksOf(texts, { blockBytes: 1000 })).toEqual([9, 9, 9, 9, 4]);
  expect(await blocksOf(texts, { blockBytes: 1 })).toEqual(Array(40).fill(1));
  expect(await blocksOf(texts, { blockRows: 15 })).toEqual([15, 15, 10]);
  expect(await blocksOf(texts, {})).toEqual([40]);
  const arrays = Array.from({ length: 40 }, () => [new Float64Array(100)]);
  expect(await blocksOf(arrays, { blockBytes: 8100 })).toEqual([10, 10, 10, 10]);
  const nulls = await blocksOf(Array(5000).fill(null), { blockBytes: 2000 });
  expect(nulls).toEqual([2000, 2000, 1000]);
  for (const bad of [{ blockBytes: 0 }, { blockRows: 0 }]) expect(() => new Writer([], bad)).toThrow(TypeError);
});

test("a block takes no more than a mebibyte of values, and half of it at least", async () => {
  const values = Array.from({ length: 30_000 }, (_, id) => ({ id, name: `name ${id}`, at: id / 7 }));
  const blocks = await blocksOf(values, {});
  for (const rows of blocks.slice(0, -1)) {
    expect(rows * 37).toBeGreaterThan(2 ** 19);
    expect(rows * 26).toBeLessThan(2 ** 20 + 2 ** 16);
  }
});

describe("append", () => {
  let folder: string;
  let path: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "holdall-"));
    path = join(folder, "log.hold");
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function append(values: unknown[], options: WriteOptions = {}, close = true): Promise<void> {
    const handle = await open(path, "r+");
    try {
      const writer = await Writer.append(handle, { blockRows: 3, ...options });
      for (const value of values) await writer.write(value);
      if (close) await writer.close();
      else await writer.flush();
    } finally {
      await handle.close();
    }
  }

  async function values(): Promise<unknown[]> {
    const bytes = await readFile(path);
    const read: unknown[] = [];
    for await (const value of new Reader(bytes)) read.push(value);
    expect(openView(bytes).value).toEqual(read);
    return read;
  }

  test("begins a stream in an empty file, and continues one", async () => {
    await writeFile(path, "");
    await append([{ a: 1 }], { sync: SYNC, metadata: { host: "one" } });
    await append([{ a: 2 }, { a: 3 }]);
    await append([{ b: "other" }]);
    await append([]);
    expect(await values()).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }, { b: "other" }]);
    const bytes = await readFile(path);
    expect(bytes.subarray(8, 16)).toEqual(Buffer.from(SYNC));
    expect(openView(bytes).metadata).toEqual([["host", "one"]]);
  });

  test("continues wherever a writer died, with the blocks that were complete", async () => {
    await writeFile(path, "");
    await append(
      Array.from({ length: 8 }, (_, i) => ({ i })),
      { sync: SYNC },
    );
    const whole = await readFile(path);
    for (let end = 16; end < whole.length; end += 5) {
      await writeFile(path, whole.subarray(0, end));
      await append([{ i: "last" }]);
      const read = await values();
      expect(read.at(-1)).toEqual({ i: "last" });
      expect([0, 3, 6, 8]).toContain(read.length - 1);
      expect(read.slice(0, -1)).toEqual(Array.from({ length: read.length - 1 }, (_, i) => ({ i })));
    }
  });

  test("continues a stream without its end", async () => {
    await writeFile(path, "");
    await append([{ i: 0 }], { sync: SYNC }, false);
    await append([{ i: 1 }]);
    expect(await values()).toEqual([{ i: 0 }, { i: 1 }]);
  });

  test("refuses what is no stream, and a damaged one, and leaves it as it is", async () => {
    await writeFile(path, "no stream at all");
    await expect(append([1])).rejects.toMatchObject({ code: "bad_magic", offset: 0 });
    await writeFile(path, "");
    await append([{ i: 0 }], { sync: SYNC });
    const whole = await readFile(path);
    const damaged = Uint8Array.from(whole);
    // The block is the last frame before the end.
    damaged[damaged.lastIndexOf(0x42) + 30]! ^= 1;
    await writeFile(path, damaged);
    await expect(append([{ i: 1 }])).rejects.toMatchObject({ code: "bad_checksum" });
    expect(Uint8Array.from(await readFile(path))).toEqual(damaged);
  });
});
