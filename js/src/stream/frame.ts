/** Frames of a stream (F-81 to F-83): what begins at an offset, without its contents. */

import { type ErrorCode, fault } from "../error.js";
import { crc32c } from "../kernel/crc32c.js";
import { wordAt } from "../kernel/numbers.js";

export const METADATA = 0x4d;
export const SCHEMA = 0x53;
export const BLOCK = 0x42;
/** F-100. This package does not use them. */
export const STATISTICS = 0x54;
export const END = 0x45;
/** Kinds from here on belong to later versions. */
export const LATER_KINDS = 0xe0;

/** F-83: of writers, and of readers by default. */
export const LARGEST_PAYLOAD = 2 ** 31;

/** Sync and head; and with the checksum of the frame. */
export const HEAD_SIZE = 32;
const LEAST_SIZE = 36;
/** `C1 F1`, "hold", CR LF (F-81). */
export const PREAMBLE = [0xc1, 0xf1, 0x68, 0x6f, 0x6c, 0x64, 0x0d, 0x0a];
export const PREAMBLE_SIZE = 16;

/** A frame without a fault of F-82. Offsets are those of the bytes that contain it. */
export interface Frame {
  readonly at: number;
  readonly kind: number;
  readonly sequence: number;
  /** The fingerprint in the head. */
  readonly schema: bigint;
  readonly payload: number;
  readonly payloadEnd: number;
  readonly end: number;
}

/** Checks the preamble, as far as there are bytes (F-81). */
export function checkPreamble(bytes: Uint8Array): void {
  const faults: [number, ErrorCode][] = [
    [0, "bad_magic"],
    [1, "bad_version"],
  ];
  for (const [at, code] of faults) {
    if (bytes.length <= at) throw fault("truncated", at);
    if (bytes[at] !== PREAMBLE[at]) throw fault(code, at);
  }
  if (bytes.length < 8) throw fault("truncated", 2);
  for (let i = 2; i < 8; i++) if (bytes[i] !== PREAMBLE[i]) throw fault("bad_magic", 2);
  if (bytes.length < PREAMBLE_SIZE) throw fault("truncated", 8);
}

/** The size of a frame whose head is here. A fault of the head is thrown. */
export function frameSize(bytes: Uint8Array, at: number, sync: Uint8Array, limit: number, origin = 0): number {
  const left = bytes.length - at;
  if (left < 8) throw fault("truncated", origin + at);
  for (let i = 0; i < 8; i++) if (bytes[at + i] !== sync[i]) throw fault("bad_sync", origin + at);
  if (left < HEAD_SIZE) throw fault("truncated", origin + at + 8);
  if (crc32c(bytes, at, at + 28) !== wordAt(bytes, at + 28)) throw fault("bad_checksum", origin + at + 28);
  const kind = bytes[at + 8]!;
  if (![METADATA, SCHEMA, BLOCK, STATISTICS, END].includes(kind) && kind < LATER_KINDS)
    throw fault("bad_frame", origin + at + 8);
  const length = payloadSize(bytes, at);
  if (length > limit) throw fault("limit_budget", origin + at + 9, { help: "pass a larger `frameLimit`" });
  return Math.ceil((length + LEAST_SIZE) / 8) * 8;
}

/** The frame at an offset, with all checks of F-82. */
export function frameAt(bytes: Uint8Array, at: number, sync: Uint8Array, limit: number, origin = 0): Frame {
  const end = at + frameSize(bytes, at, sync, limit, origin);
  const payload = at + HEAD_SIZE;
  if (end > bytes.length) throw fault("truncated", origin + payload);
  // The checksum covers the frame without that of its head.
  const crc = crc32c(bytes, payload, end - 4, crc32c(bytes, at, at + 28));
  if (crc !== wordAt(bytes, end - 4)) throw fault("bad_checksum", origin + end - 4);
  const payloadEnd = payload + payloadSize(bytes, at);
  for (let i = payloadEnd; i < end - 4; i++) if (bytes[i] !== 0) throw fault("nonzero_padding", origin + i);
  return {
    at,
    kind: bytes[at + 8]!,
    sequence: sequenceAt(bytes, at),
    schema: schemaAt(bytes, at),
    payload,
    payloadEnd,
    end,
  };
}

/** The size of the payload, which the head of a frame states. */
export function payloadSize(bytes: Uint8Array, at: number): number {
  return numberAt(bytes, at + 9, 6);
}

/** The number in the head of a frame. */
export function sequenceAt(bytes: Uint8Array, at: number): number {
  return numberAt(bytes, at + 15, 5);
}

/** The fingerprint in the head of a frame. */
export function schemaAt(bytes: Uint8Array, at: number): bigint {
  return BigInt(wordAt(bytes, at + 20)) | (BigInt(wordAt(bytes, at + 24)) << 32n);
}

function numberAt(bytes: Uint8Array, at: number, size: number): number {
  let value = 0;
  for (let i = size - 1; i >= 0; i--) value = value * 256 + bytes[at + i]!;
  return value;
}
