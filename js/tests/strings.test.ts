/** Columns of strings are what TextDecoder makes of each row, with and without the functions of Node's Buffer. */

import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { dumps, loads } from "../src/index.js";

type Strings = typeof import("../src/kernel/strings.js");

/** The texts of rows by TextDecoder, or the first row that is not UTF-8. */
function expected(rows: readonly Uint8Array[]): string[] | number {
  const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const texts: string[] = [];
  for (const row of rows) {
    try {
      texts.push(strict.decode(row));
    } catch {
      return texts.length;
    }
  }
  return texts;
}

function joined(rows: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(rows.reduce((sum, row) => sum + row.length, 3));
  let at = 1;
  for (const row of rows) {
    bytes.set(row, at);
    at += row.length;
  }
  return bytes;
}

function check({ decodeRows, isAscii }: Strings, rows: readonly Uint8Array[]): void {
  const lengths = rows.map((row) => row.length);
  const bytes = joined(rows);
  expect(decodeRows(bytes, 1, lengths, rows.length)).toEqual(expected(rows));
  for (let from = 0; from < 4; from++) {
    const part = bytes.subarray(Math.min(from, bytes.length));
    expect(isAscii(part, 0, part.length)).toBe(part.every((byte) => byte < 128));
  }
}

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ unit: "grapheme", maxLength: 10 }),
  fc.string({ unit: fc.constantFrom("a", "é", "\u0080", "\u009f", "\u00a0", "ÿ", "Ā", "\ufeff", "\0"), maxLength: 30 }),
);
const encoder = new TextEncoder();
/** Bytes that begin, continue and end characters, at their bounds. */
const unsafe = fc.array(
  fc.constantFrom(
    0x00,
    0x41,
    0x7f,
    0x80,
    0x8f,
    0x90,
    0x9f,
    0xa0,
    0xbf,
    0xc0,
    0xc1,
    0xc2,
    0xc3,
    0xdf,
    0xe0,
    0xed,
    0xef,
    0xf0,
    0xf4,
    0xf5,
    0xff,
  ),
  { maxLength: 5 },
);
const row = fc.oneof(
  { weight: 20, arbitrary: text.map((each) => encoder.encode(each)) },
  { weight: 1, arbitrary: unsafe.map((bytes) => Uint8Array.from(bytes)) },
);

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

describe.each(["with Buffer", "without Buffer"])("%s", (platform) => {
  async function strings(): Promise<Strings> {
    if (platform === "without Buffer") vi.stubGlobal("Buffer", undefined);
    vi.resetModules();
    const module = await import("../src/kernel/strings.js");
    vi.unstubAllGlobals();
    return module;
  }

  test("rows are decoded as TextDecoder decodes each", async () => {
    const module = await strings();
    fc.assert(
      fc.property(fc.array(row, { maxLength: 30 }), (rows) => check(module, rows)),
      { numRuns: 2000 },
    );
    fc.assert(
      fc.property(unsafe, (bytes) => check(module, [Uint8Array.from(bytes)])),
      { numRuns: 5000 },
    );
  });

  test("rows of all sizes, narrow and wide, follow each other", async () => {
    const module = await strings();
    const sizes = [0, 1, 3, 4, 5, 100, 5000, 16_383, 16_384, 16_385, 40_000];
    const rows = sizes.flatMap((size) => ["x", "é", "Ж", "😀"].map((unit) => encoder.encode(unit.repeat(size / 4))));
    check(module, rows);
    check(module, rows.reverse());
  });
});

test("a list of texts of all scripts is read as it was written", () => {
  const words = ["plain", "naïve", "Größe", "Привет", "你好", "😀", "\u0085", "", "a".repeat(70), "Ж".repeat(70)];
  const list = Array.from({ length: 20_000 }, (_, i) => `${words[i % words.length]} ${i}`);
  for (const profile of ["fast", "balanced"] as const) expect(loads(dumps(list, { profile }))).toEqual(list);
});
