/** Frames of reference (F-29, F-42): of rows that are safe integers up to 2^52 in magnitude. */

import { bitWidth, toZigzag } from "../../kernel/numbers.js";
import { type Output, varintSize } from "../../kernel/output.js";
import { packFields } from "../../kernel/pack.js";

/** Payloads of this many bytes are padded in aligned messages (F-69). */
const PADDED_SIZE = 4096;

/** The smaller candidate of F-42. */
export interface Frame {
  readonly width: number;
  /** 0 if no base is written. */
  readonly base: number;
  readonly based: boolean;
  /** The bytes of base and payload, without the encoding byte. */
  readonly size: number;
}

/** The width of frames that holds a field (F-42). */
function frameWidth(field: number): number {
  const width = bitWidth(field);
  return width > 57 ? 64 : width;
}

/** F-42: the base is written if its candidate is smaller by at least one byte. */
export function chooseFrame(min: number, max: number, count: number, signed: boolean): Frame {
  // The fields are numbers below 2^64, so those of negative rows are large.
  const width = min < 0 ? 64 : frameWidth(max);
  const size = Math.ceil((count * width) / 8);
  if (min === 0) return { width, base: 0, based: false, size };
  const basedWidth = frameWidth(max - min);
  const basedSize = varintSize(signed ? toZigzag(min) : min) + Math.ceil((count * basedWidth) / 8);
  return basedSize < size
    ? { width: basedWidth, base: min, based: true, size: basedSize }
    : { width, base: 0, based: false, size };
}

/** Writes a frame with its encoding byte. `outer`: whether it is a column, not inside another encoding (F-69). */
export function writeFrame(
  out: Output,
  rows: ArrayLike<number>,
  count: number,
  frame: Frame,
  signed: boolean,
  outer = false,
): void {
  const { width, base, based, size } = frame;
  out.byte(based ? 0x80 | width : width);
  if (based) {
    if (signed) out.signedVarint(base);
    else out.varint(base);
  } else if (outer && size >= PADDED_SIZE && (width === 16 || width === 32 || width === 64)) {
    out.align();
  }
  packFields(out, rows, count, base, width);
}

/** The frame of an inner column (F-44, F-59) of these rows, or of `fields` rows within their bounds. */
export function innerFrame(rows: ArrayLike<number>, count: number, signed = false, fields = count): Frame {
  let min = rows[0]!;
  let max = min;
  for (let i = 1; i < count; i++) {
    const row = rows[i]!;
    if (row < min) min = row;
    else if (row > max) max = row;
  }
  return chooseFrame(min, max, fields, signed);
}
