/** Messages (chapter 3): envelope, schema, block, filler, checksum. */

import { isAligned, writeBlock } from "../block/write.js";
import { HoldallError } from "../error.js";
import type { Shredder } from "../infer/shredder.js";
import { crc32c } from "../kernel/crc32c.js";
import { LEAST_BUDGET, UNITS_PER_BYTE } from "../kernel/input.js";
import { Output, varintSize } from "../kernel/output.js";
import { encodeUtf8 } from "../kernel/utf8.js";
import { xxh3 } from "../kernel/xxh3.js";
import type { WrittenSchema } from "../schema/write.js";
import { ALIGNED, CHECKSUM, DEFINITIONS, EXTENDED, FINGERPRINT, LENGTH, MAGIC, METADATA, VERSION } from "./flags.js";

/** What precedes and follows a block. */
export interface Envelope {
  readonly balanced: boolean;
  /** What represents the schema. */
  readonly header: "inline" | "fingerprint" | "none";
  readonly checksum: boolean;
  readonly metadata: readonly (readonly [string, string])[];
  readonly limit: number;
}

/** The schema's bytes with the number of definitions (F-22). */
export function schemaBytes(schema: WrittenSchema): Uint8Array {
  const out = new Output(schema.types.length + 9);
  out.varint(schema.definitions.length);
  out.write(schema.types);
  return out.bytes.subarray(0, out.length);
}

/** One output for all messages: to make one takes as long as to write some columns. Writing never calls the program's code. */
const POOLED = 4096;
const LARGEST_POOLED = 2 ** 20;
let pooled = new Output(POOLED);

/** A message of what a shredder took, or a bare body (F-12). */
export function writeMessage(shredder: Shredder, schema: WrittenSchema, envelope: Envelope): Uint8Array {
  const { root } = shredder.types;
  const out = pooled;
  out.clear();
  // A checksum is that of bytes in one place.
  out.defers = !envelope.checksum;
  out.alignedFrom = -1;
  out.limit = envelope.limit;
  if (envelope.header === "none") {
    writeBlock(out, root, schema, envelope.balanced);
    out.zeros(fillerSize(out, out.total));
  } else {
    writeEnvelope(out, shredder, schema, envelope);
  }
  out.checkLimit();
  const message = out.take();
  if (out.bytes.length > LARGEST_POOLED) pooled = new Output(POOLED);
  else out.clear();
  return message;
}

function writeEnvelope(out: Output, shredder: Shredder, schema: WrittenSchema, envelope: Envelope): void {
  const { header, checksum, metadata } = envelope;
  const { root } = shredder.types;
  const aligned = isAligned(root);
  const extended = (metadata.length > 0 ? METADATA : 0) | (checksum ? CHECKSUM | LENGTH : 0);
  const flags =
    (header === "fingerprint" ? FINGERPRINT : schema.definitions.length > 0 ? DEFINITIONS : 0) |
    (aligned ? ALIGNED : 0) |
    (extended ? EXTENDED : 0);
  const rest = new Output(64);
  if (metadata.length > 0) writeMetadata(rest, metadata);
  if (header === "fingerprint") {
    const hash = xxh3(schemaBytes(schema));
    for (let i = 0n; i < 64n; i += 8n) rest.byte(Number((hash >> i) & 255n));
  } else {
    if (schema.definitions.length > 0) rest.varint(schema.definitions.length);
    rest.write(schema.types);
  }
  // The length precedes what it counts: where padding permits several, the smallest (F-67).
  for (let size = checksum ? 1 : 0; ; size++) {
    out.clear();
    out.byte(MAGIC);
    out.byte((VERSION << 4) | flags);
    if (extended) out.byte(extended);
    const at = out.length;
    out.zeros(size);
    out.write(rest.bytes.subarray(0, rest.length));
    if (aligned) {
      out.alignedFrom = 0;
      out.align();
    }
    writeBlock(out, root, schema, envelope.balanced);
    out.zeros(fillerSize(out, out.total + (checksum ? 4 : 0)));
    if (!checksum) return;
    const length = out.length + 4;
    if (varintSize(length) > size) continue;
    const end = out.length;
    out.length = at;
    out.varint(length);
    out.length = end;
    out.little(crc32c(out.bytes, 0, end), 4);
    return;
  }
}

/** F-95: the bytes after a block whose charge is more than the default budget of an input of that length. */
export function fillerSize(out: Output, length: number): number {
  if (out.units <= Math.max(LEAST_BUDGET, UNITS_PER_BYTE * length)) return 0;
  return Math.ceil(out.units / UNITS_PER_BYTE) - length;
}

/** F-68. */
export function writeMetadata(out: Output, metadata: readonly (readonly [string, string])[]): void {
  out.varint(metadata.length);
  const keys = new Set<string>();
  for (const pair of metadata) {
    if (keys.has(pair[0]))
      throw new HoldallError("duplicate_name", { got: `metadata with two keys ${JSON.stringify(pair[0])}` });
    keys.add(pair[0]);
    for (const text of pair) {
      if (!text.isWellFormed()) throw new HoldallError("unsupported_value", { got: "metadata with a lone surrogate" });
      const bytes = encodeUtf8(text);
      out.varint(bytes.length);
      out.write(bytes);
    }
  }
}
