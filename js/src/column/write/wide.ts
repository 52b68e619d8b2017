/** Ints of which a row is beyond 2^52 in magnitude: the same choices as in `ints.ts`, in bigints (F-29, F-42, F-61, F-91, F-92). */

import { bitWidthBig, toZigzagBig } from "../../kernel/numbers.js";
import { bigVarintSize, type Output } from "../../kernel/output.js";
import { packPairs } from "../../kernel/pack.js";
import { innerFrame, writeFrame } from "./frame.js";
import { BIG, DELTA, FEWEST_WIDTHS, type IntKind, LEAST_WIDTH, SCALED, saves, WIDTHS } from "./ints.js";

const MIN_I64 = -(2n ** 63n);
const MAX_I64 = 2n ** 63n - 1n;
const MAX_U64 = 2n ** 64n - 1n;

/** Writes a column of one row or more. */
export function writeWideInts(out: Output, kind: IntKind, rows: bigint[], balanced: boolean): void {
  const [min, max] = bounds(rows);
  if (kind.signed ? min < MIN_I64 || max > MAX_I64 : max > MAX_U64) {
    writeBig(out, rows);
  } else if (rows.length < 4) {
    for (const row of rows) out.bigVarint(kind.signed ? toZigzagBig(row) : row);
  } else if (balanced) {
    planScaled(rows, kind.signed, true).write(out);
  } else {
    planFrame(rows, kind.signed, true).write(out);
  }
}

function bounds(rows: bigint[]): [bigint, bigint] {
  let min = rows[0]!;
  let max = min;
  for (const row of rows) {
    if (row < min) min = row;
    else if (row > max) max = row;
  }
  return [min, max];
}

/** Big (F-29), after a marker if there are fewer than 4 rows. */
function writeBig(out: Output, rows: bigint[]): void {
  if (rows.length < 4) {
    out.byte(0x01);
    out.byte(0x00);
  }
  out.byte(BIG);
  const sizes = rows.map((row) => (bitWidthBig(row < 0n ? ~row : row) >> 3) + 1);
  writeFrame(out, sizes, sizes.length, innerFrame(sizes, sizes.length), false);
  rows.forEach((row, i) => {
    const size = sizes[i]!;
    const digits = BigInt.asUintN(8 * size, row)
      .toString(16)
      .padStart(2 * size, "0");
    out.reserve(size);
    for (let at = size; at > 0; at--) out.byte(Number.parseInt(digits.slice(2 * at - 2, 2 * at), 16));
  });
  out.units += sizes.reduce((sum, size) => sum + size, 0);
}

/** An encoding, and its bytes with the encoding byte. */
export interface WidePlan {
  readonly size: number;
  readonly width: number;
  write(out: Output): void;
}

function varint(out: Output, row: bigint, signed: boolean): void {
  out.bigVarint(signed ? toZigzagBig(row) : row);
}

function varintSize(row: bigint, signed: boolean): number {
  return bigVarintSize(signed ? toZigzagBig(row) : row);
}

function planFrame(rows: bigint[], signed: boolean, outer = false): WidePlan {
  const [min, max] = bounds(rows);
  const widthOf = (field: bigint) => {
    const width = bitWidthBig(field);
    return width > 57 ? 64 : width;
  };
  const payload = (width: number) => Math.ceil((rows.length * width) / 8);
  const plain = min < 0n ? 64 : widthOf(max);
  const basedWidth = widthOf(max - min);
  const basedSize = varintSize(min, signed) + payload(basedWidth);
  const based = basedSize < payload(plain);
  const width = based ? basedWidth : plain;
  const base = based ? min : 0n;
  return {
    size: 1 + (based ? basedSize : payload(plain)),
    width,
    write(out) {
      out.byte(based ? 0x80 | width : width);
      if (based) varint(out, base, signed);
      else if (outer && payload(width) >= 4096 && (width === 32 || width === 64)) out.align();
      const pairs = new BigUint64Array(rows.length);
      for (let i = 0; i < rows.length; i++) pairs[i] = BigInt.asUintN(64, rows[i]! - base);
      packPairs(out, new Uint32Array(pairs.buffer), rows.length, width);
    },
  };
}

function planDelta(rows: bigint[], signed: boolean): WidePlan {
  const differences = rows.slice(1).map((row, i) => BigInt.asIntN(64, row - rows[i]!));
  const inner = planFrame(differences, true);
  return {
    size: 1 + varintSize(rows[0]!, signed) + inner.size,
    width: 0,
    write(out) {
      out.byte(DELTA);
      varint(out, rows[0]!, signed);
      inner.write(out);
    },
  };
}

function planWidths(rows: bigint[], signed: boolean): WidePlan {
  const patterns = signed ? rows.map(toZigzagBig) : rows;
  const widths = patterns.map(bitWidthBig);
  const inner = innerFrame(widths, widths.length);
  const bits = widths.reduce((sum, width) => sum + Math.max(width - 1, 0), 0);
  return {
    size: 2 + inner.size + Math.ceil(bits / 8),
    width: 0,
    write(out) {
      out.byte(WIDTHS);
      writeFrame(out, widths, widths.length, inner, false);
      let word = 0n;
      let filled = 0;
      patterns.forEach((pattern, i) => {
        const width = Math.max(widths[i]! - 1, 0);
        word |= BigInt.asUintN(width, pattern) << BigInt(filled);
        for (filled += width; filled >= 8; filled -= 8) {
          out.byte(Number(word & 255n));
          word >>= 8n;
        }
      });
      if (filled > 0) out.byte(Number(word));
    },
  };
}

/** F-42, F-61, F-91. */
function planUnscaled(rows: bigint[], signed: boolean, outer = false): WidePlan {
  const frame = planFrame(rows, signed, outer);
  if (rows.every((row, i) => i === 0 || rows[i - 1]! <= row)) {
    const delta = planDelta(rows, signed);
    if (delta.size < frame.size) return delta;
  }
  if (rows.length >= FEWEST_WIDTHS && frame.width >= LEAST_WIDTH) {
    const widths = planWidths(rows, signed);
    if (saves(widths.size, frame.size)) return widths;
  }
  return frame;
}

/** F-92. */
export function planScaled(rows: bigint[], signed: boolean, outer: boolean): WidePlan {
  const unscaled = planUnscaled(rows, signed, outer);
  const [min] = bounds(rows);
  let g = 0n;
  for (const row of rows) {
    let rest = row - min;
    while (rest > 0n) [g, rest] = [rest, g % rest];
    if (g === 1n) return unscaled;
  }
  if (g === 0n) return unscaled;
  const inner = planUnscaled(
    rows.map((row) => (row - min) / g),
    false,
  );
  const size = 1 + varintSize(min, signed) + bigVarintSize(g) + inner.size;
  if (!saves(size, unscaled.size)) return unscaled;
  return {
    size,
    width: 0,
    write(out) {
      out.byte(SCALED);
      varint(out, min, signed);
      out.bigVarint(g);
      inner.write(out);
    },
  };
}
