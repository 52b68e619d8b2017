import { mkdtemp, open, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { Exact } from "../../src/exact.js";
import { Writer } from "../../src/stream.js";

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

test("a value may change after it was written", async () => {
  const chunks: Uint8Array[] = [];
  const writer = new Writer(chunks);
  const bytes = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);
  await writer.write([bytes]);
  bytes.fill(9);
  await writer.close();
  expect(hex(chunks)).toContain("01 02 03 04 05 06 07 08");
});
