/** The envelope of a message (chapter 3). */

import { fault } from "../error.js";
import { crc32c } from "../kernel/crc32c.js";
import { Input } from "../kernel/input.js";
import { wordAt } from "../kernel/numbers.js";
import { decodeUtf8 } from "../kernel/utf8.js";
import { xxh3 } from "../kernel/xxh3.js";
import type { KeptSchemas } from "../schema/kept.js";
import { checkCount, readSchema } from "../schema/read.js";
import type { Schema } from "../schema/types.js";
import type { Dictionary } from "../zstd/dictionary.js";
import {
  ALIGNED,
  CHECKSUM,
  DEFINITIONS,
  DICTIONARY,
  EXTENDED,
  FINGERPRINT,
  LENGTH,
  MAGIC,
  METADATA,
  VERSION,
} from "./flags.js";

/** What a message says before its block. */
export interface Head {
  readonly flags: number;
  readonly metadata: [string, string][] | undefined;
  /** Whether schema and block are compressed with a dictionary. */
  readonly hasDictionary: boolean;
}

/** Everything before the schema. With a checksum, the input ends before it from here on (F-67). */
export function readHead(input: Input, checked = true): Head {
  if (input.byte() !== MAGIC) throw fault("bad_magic", input.pos - 1);
  const second = input.byte();
  const at = input.pos - 1;
  if (second >> 4 !== VERSION) throw fault(second >> 4 === 15 ? "unsupported" : "bad_version", at);
  const flags = second & 15;
  if (flags & FINGERPRINT && flags & DEFINITIONS) throw fault("bad_flags", at);
  let extended = 0;
  if (flags & EXTENDED) {
    extended = input.byte();
    if (extended > 15) throw fault("unsupported", input.pos - 1);
    if (extended === 0 || (extended & (CHECKSUM | LENGTH)) === CHECKSUM) throw fault("bad_flags", input.pos - 1);
    if (extended & DICTIONARY && flags & ALIGNED) throw fault("bad_flags", input.pos - 1);
  }
  if (extended & LENGTH) {
    const length = input.varint();
    if (checked) checkLength(input, length, (extended & CHECKSUM) !== 0);
  }
  const metadata = extended & METADATA ? readMetadata(input) : undefined;
  return { flags, metadata, hasDictionary: (extended & DICTIONARY) !== 0 };
}

/** Hash and frame of a message with a dictionary. Returns an input with the content in the place of the frame (F-101). */
export function openContent(input: Input, dictionaries: Iterable<Dictionary> = []): Input {
  const at = input.pos;
  const hash = readFingerprint(input);
  let dictionary: Dictionary | undefined;
  for (const each of dictionaries) if (each.hash === hash) dictionary = each;
  if (dictionary === undefined) throw fault("unknown_dictionary", at, { help: "pass it in `dictionaries`" });
  const start = input.pos;
  const frame = input.bytes.subarray(start, input.end);
  const content = dictionary.content(frame, (size) => input.charge(size, start));
  if (content === undefined) throw fault("bad_zstd", start);
  const bytes = new Uint8Array(start + content.length);
  bytes.set(input.bytes.subarray(0, start));
  bytes.set(content, start);
  return new Input(bytes, input.budget, start);
}

function checkLength(input: Input, length: number, hasChecksum: boolean): void {
  if (length < input.pos + (hasChecksum ? 4 : 0) || length > input.end) throw fault("truncated", input.pos);
  if (length < input.end) throw fault("trailing_bytes", length);
  if (!hasChecksum) return;
  input.end -= 4;
  if (crc32c(input.bytes, 0, input.end) !== wordAt(input.bytes, input.end)) throw fault("bad_checksum", input.end);
}

/** F-68. */
export function readMetadata(input: Input): [string, string][] {
  const at = input.pos;
  const count = input.varint();
  checkCount(input, count, at);
  const text = (): string => {
    const start = input.take(input.varint());
    const read = decodeUtf8(input.bytes, start, input.pos);
    if (read === undefined) throw fault("invalid_utf8", start);
    return read;
  };
  const pairs = new Map<string, string>();
  for (let i = 0; i < count; i++) {
    const keyAt = input.pos;
    const key = text();
    if (pairs.has(key)) throw fault("duplicate_name", keyAt);
    pairs.set(key, text());
  }
  return [...pairs];
}

/** The fingerprint of a schema (F-22). */
export function fingerprint(schema: Schema): bigint {
  return xxh3(schema.bytes);
}

/** A number of 8 bytes. */
export function readFingerprint(input: Input): bigint {
  const at = input.take(8);
  return BigInt(wordAt(input.bytes, at)) | (BigInt(wordAt(input.bytes, at + 4)) << 32n);
}

/** Schemas by their fingerprints. */
export function byFingerprint(schemas: Iterable<Schema> | undefined): Map<bigint, Schema> {
  const known = new Map<bigint, Schema>();
  for (const schema of schemas ?? []) known.set(fingerprint(schema), schema);
  return known;
}

/** The schema of a message, or the known one of its fingerprint (F-9, F-10). */
export function readSchemaOf(
  input: Input,
  flags: number,
  known: ReadonlyMap<bigint, Schema>,
  kept: KeptSchemas | undefined = undefined,
): Schema {
  const counted = (flags & DEFINITIONS) !== 0;
  if (!(flags & FINGERPRINT)) return kept?.read(input, counted) ?? readSchema(input, counted, false);
  const at = input.pos;
  const schema = known.get(readFingerprint(input));
  if (schema === undefined) throw fault("unknown_fingerprint", at, { help: "pass it in `schemas`" });
  return schema;
}
