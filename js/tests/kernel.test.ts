/** The parts that all others use: error codes, checksums, hashes, varints, small floats, text. */

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { CODES } from "../src/error.js";
import { crc32c } from "../src/kernel/crc32c.js";
import { Input } from "../src/kernel/input.js";
import { fromBf16, fromF16, toBf16, toF16 } from "../src/kernel/numbers.js";
import { decodeWtf8, encodeWtf8 } from "../src/kernel/utf8.js";
import { xxh3 } from "../src/kernel/xxh3.js";
import { loads } from "../src/read.js";

const spec = readFileSync(new URL("../../spec/format.md", import.meta.url), "utf8");

test("the codes are those of chapter 9, each once", () => {
  const chapter = spec.slice(spec.indexOf("## 9. Errors"), spec.indexOf("## 10. Profiles"));
  const codes = new Set<string>();
  for (const line of chapter.split("\n")) {
    const cell = /^\| (`[^|]*) \|/.exec(line);
    for (const [, code] of cell?.[1]?.matchAll(/`([a-z_0-9]+)`/g) ?? []) codes.add(code!);
  }
  expect([...CODES].sort()).toEqual([...codes].sort());
});

test("the CRC of the spec's example", () => {
  expect(crc32c(new TextEncoder().encode("123456789"))).toBe(0xe3069283);
});

test("a CRC goes on from that of the bytes before", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(100), (bytes, at) => {
      const cut = Math.min(at, bytes.length);
      expect(crc32c(bytes, cut, bytes.length, crc32c(bytes, 0, cut))).toBe(crc32c(bytes));
    }),
  );
});

test.each([
  [127, "fe", 1],
  [300, "b104", 2],
  [2 ** 28, "0f00000002", 5],
  [2n ** 56n, "ff0000000000000001", 9],
  [2n ** 64n - 1n, "ffffffffffffffffff", 9],
])("varint %s", (value, hex, size) => {
  const input = new Input(Uint8Array.from(hex.match(/../g)!, (x) => Number.parseInt(x, 16)));
  expect(input.exact()).toBe(value);
  expect(input.pos).toBe(size);
});

test("rejects an overlong varint", () => {
  for (const bytes of [
    [1, 0],
    [3, 2, 0],
    [0x0f, 0, 0, 0, 0],
    [255, 255, 255, 255, 255, 255, 255, 255, 0],
  ]) {
    expect(() => new Input(Uint8Array.from(bytes)).exact()).toThrow(
      expect.objectContaining({ code: "varint_overlong", offset: 0 }),
    );
  }
});

test("every half and bfloat16 survives its number", () => {
  for (let bits = 0; bits < 65536; bits++) {
    const half = fromF16(bits);
    if (!Number.isNaN(half)) expect(toF16(half)).toBe(bits);
    const brain = fromBf16(bits);
    if (!Number.isNaN(brain)) expect(toBf16(brain)).toBe(bits);
  }
});

test("any text survives WTF-8", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((x) => String.fromCharCode(x)) }), (text) => {
      expect(decodeWtf8(encodeWtf8(text))).toBe(text);
    }),
  );
});

// The hashes are those of the C library, of the bytes i · 131 mod 256.
test.each([
  [0, 0x2d06800538d394c2n],
  [1, 0xc44bdff4074eecdbn],
  [3, 0x6811538b444fc6dcn],
  [4, 0xed503340c589a28bn],
  [8, 0xe5b43ab074c9c13bn],
  [9, 0x089b8d25b20fb877n],
  [16, 0x0a0ec5ae8679cb7fn],
  [17, 0x57c52d21ce492c1en],
  [64, 0x7714914b0d794113n],
  [100, 0x387363ce0e6084aan],
  [128, 0x696069c4f1e6a91an],
  [129, 0xb1ada52285757bebn],
  [240, 0xb80284837259eee4n],
  [241, 0x44dbd3180a664e27n],
  [1024, 0xbd7c43cd9a89cb69n],
  [1025, 0x21866a1df47680cen],
  [5000, 0xc14506957f6b6710n],
])("XXH3 of %i bytes", (length, hash) => {
  expect(xxh3(Uint8Array.from({ length }, (_, i) => (i * 131) & 255))).toBe(hash);
});

test.each([
  ["a record of form 3", "c1101affffffffffffffffff", "bad_form", 3],
  ["a struct of form 3", "c1101d190400ffffffffffffffffff00", "bad_form", 6],
  ["a named union in an unnamed one", "c1101c081cffffffffffffffffff", "truncated", 5],
])("the lowest bits of a head beyond 2^53 are exact: %s", (_, hex, code, offset) => {
  expect(() => loads(Buffer.from(hex, "hex"))).toThrow(expect.objectContaining({ code, offset }));
});
