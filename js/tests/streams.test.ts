/** The conformance vectors of streams, read from every kind of source. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { Reader, type StreamSource } from "../src/stream/reader.js";
import { sameValues } from "./checks.js";
import { bytesOf, vectors } from "./vectors.js";

const intact = vectors("streams").find((vector) => vector.code === undefined && vector["values"].length > 1)!;

function* single(bytes: Uint8Array): Generator<Uint8Array> {
  for (let i = 0; i < bytes.length; i++) yield bytes.subarray(i, i + 1);
}

test.each<[string, (bytes: Uint8Array) => StreamSource]>([
  ["an ArrayBuffer", (bytes) => bytes.slice().buffer],
  ["a Blob", (bytes) => new Blob([bytes.slice()])],
  ["a ReadableStream", (bytes) => new Blob([bytes.slice()]).stream()],
  ["a Node stream", (bytes) => Readable.from(single(bytes))],
  ["single bytes", single],
])("reads from %s", async (_, source) => {
  const values: unknown[] = [];
  for await (const value of new Reader(source(bytesOf(intact.hex)))) values.push(value);
  sameValues(values, intact["values"]);
});

test("reads a file handle from its position on, and leaves it open", async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdall-"));
  const path = join(folder, "stream.hold");
  const bytes = bytesOf(intact.hex);
  writeFileSync(path, Buffer.concat([Uint8Array.of(1, 2, 3), bytes]));
  const file = await open(path);
  try {
    await file.read(new Uint8Array(3), 0, 3, null);
    const values: unknown[] = [];
    for await (const value of new Reader(file)) values.push(value);
    sameValues(values, intact["values"]);
    expect((await file.stat()).size).toBe(3 + bytes.length);
  } finally {
    await file.close();
    rmSync(folder, { recursive: true });
  }
});
