/** Ints (F-29): the encodings of profiles fast (F-42) and balanced (F-61, F-91, F-92). */

import { bitWidth, toZigzag } from "../../kernel/numbers.js";
import { type Output, varintSize } from "../../kernel/output.js";
import { packBelowHighest } from "../../kernel/pack.js";
import { chooseFrame, type Frame, innerFrame, writeFrame } from "./frame.js";
import { NumberRows } from "./numbers.js";
import { planScaled, writeWideInts } from "./wide.js";

/** The encoding bytes (F-57). */
export const DELTA = 0x41;
export const SCALED = 0x42;
export const BIG = 0x44;
export const WIDTHS = 0x45;

/** F-91. */
export const FEWEST_WIDTHS = 16;
export const LEAST_WIDTH = 16;

/** Zigzags and differences of numbers up to this magnitude are exact as doubles. */
const SAFE = 2 ** 52;

/** The kind of a column of integers: its width in bits, 0 of int, and whether it is signed. */
export interface IntKind {
  readonly width: number;
  readonly signed: boolean;
}

export const U64: IntKind = { width: 64, signed: false };
export const INT: IntKind = { width: 0, signed: true };

/** F-91, F-92, F-93: an encoding that is slower to read saves at least an eighth. */
export function saves(size: number, other: number): boolean {
  return 8 * size <= 7 * other;
}

/** The rows of an Ints column as they are gathered. */
export class IntRows extends NumberRows {
  /** The rows that are no safe integers, by their numbers. */
  private unsafe: Map<number, bigint> | undefined = undefined;

  pushBig(row: bigint): void {
    const number = Number(row);
    if (!Number.isSafeInteger(number)) (this.unsafe ??= new Map()).set(this.length, row);
    this.push(number);
  }

  /** All rows, if some are no safe integers. */
  wide(): bigint[] | undefined {
    const { unsafe } = this;
    return unsafe && Array.from({ length: this.length }, (_, i) => unsafe.get(i) ?? BigInt(this.rows[i]!));
  }

  override empty(): void {
    super.empty();
    this.unsafe = undefined;
  }
}

/** Writes a column of one row or more. */
export function writeInts(out: Output, kind: IntKind, column: IntRows, balanced: boolean): void {
  const wide = column.wide();
  if (wide !== undefined) writeWideInts(out, kind, wide, balanced);
  else writeNumbers(out, kind, column.rows, column.length, balanced);
}

function writeNumbers(out: Output, kind: IntKind, rows: ArrayLike<number>, count: number, balanced: boolean): void {
  const { signed } = kind;
  if (count < 4) {
    writeFew(out, kind, rows, count);
    return;
  }
  let min = rows[0]!;
  let max = min;
  let sorted = true;
  let before = min;
  for (let i = 1; i < count; i++) {
    const row = rows[i]!;
    if (row < before) sorted = false;
    before = row;
    if (row < min) min = row;
    else if (row > max) max = row;
  }
  if (min < -SAFE || max > SAFE) {
    writeWideInts(
      out,
      kind,
      Array.from({ length: count }, (_, i) => BigInt(rows[i]!)),
      balanced,
    );
    return;
  }
  const numbers = { rows, count, signed, min, max, sorted };
  if (balanced) writePlan(out, planBalanced(numbers), true);
  else writeFrame(out, rows, count, chooseFrame(min, max, count, signed), signed, true);
}

/** Fewer than 4 rows (F-29). */
function writeFew(out: Output, kind: IntKind, rows: ArrayLike<number>, count: number): void {
  for (let i = 0; i < count; i++) {
    const row = rows[i]!;
    if (row < -SAFE || row > SAFE) {
      const big = BigInt(row);
      out.bigVarint(kind.signed ? (big < 0n ? -2n * big - 1n : 2n * big) : big);
    } else if (kind.width === 8) out.byte(row);
    else if (kind.signed) out.signedVarint(row);
    else out.varint(row);
  }
}

/** Rows, and what is known about them. */
interface Numbers {
  readonly rows: ArrayLike<number>;
  readonly count: number;
  readonly signed: boolean;
  readonly min: number;
  readonly max: number;
  readonly sorted: boolean;
}

/** An encoding of an inner column that F-92 chooses, and its bytes with the encoding byte. */
export function planIntegers(
  rows: Float64Array,
  count: number,
  signed: boolean,
): { readonly size: number; write(out: Output): void } {
  let min = rows[0]!;
  let max = min;
  let sorted = true;
  for (let i = 1; i < count; i++) {
    const row = rows[i]!;
    if (row < rows[i - 1]!) sorted = false;
    if (row < min) min = row;
    else if (row > max) max = row;
  }
  if (min < -SAFE || max > SAFE) return planScaled(Array.from(rows, BigInt), signed, false);
  const plan = planBalanced({ rows, count, signed, min, max, sorted });
  return { size: plan.size, write: (out) => writePlan(out, plan, false) };
}

/** An encoding of numbers, and its bytes with the encoding byte. */
interface Plan {
  readonly encoding: "frame" | "delta" | "widths" | "scaled";
  readonly numbers: Numbers;
  readonly size: number;
  readonly frame: Frame;
  /** The differences, the widths of the patterns. */
  readonly inner?: ArrayLike<number>;
  /** The patterns. */
  readonly patterns?: ArrayLike<number>;
  /** The bits of all patterns. */
  readonly bits?: number;
  /** The greatest common divisor, and the quotients. */
  readonly g?: number;
  readonly quotients?: Plan;
}

/** The encoding of F-92: scaled, or what `planUnscaled` chooses. */
function planBalanced(numbers: Numbers): Plan {
  const plan = planUnscaled(numbers);
  const { rows, count, signed, min, max } = numbers;
  const g = divisor(rows, count, min);
  if (g < 2) return plan;
  const head = 1 + varintSize(signed ? toZigzag(min) : min) + varintSize(g);
  // Quotients of no bits at all would save no more.
  if (!saves(head + 1, plan.size)) return plan;
  const divided = new Float64Array(count);
  for (let i = 0; i < count; i++) divided[i] = (rows[i]! - min) / g;
  const quotients = planUnscaled({
    rows: divided,
    count,
    signed: false,
    min: 0,
    max: (max - min) / g,
    sorted: numbers.sorted,
  });
  const size = head + quotients.size;
  return saves(size, plan.size) ? { encoding: "scaled", numbers, size, frame: plan.frame, g, quotients } : plan;
}

/** The greatest common divisor of the differences from the least row; 0 if all rows are equal. */
function divisor(rows: ArrayLike<number>, count: number, min: number): number {
  let g = 0;
  for (let i = 0; i < count; i++) {
    let rest = rows[i]! - min;
    if (g > 0 && rest % g === 0) continue;
    while (rest > 0) {
      const next = g % rest;
      g = rest;
      rest = next;
    }
    if (g === 1) return 1;
  }
  return g;
}

/** F-42, F-61, F-91. */
function planUnscaled(numbers: Numbers): Plan {
  const { rows, count, signed, min, max } = numbers;
  const frame = chooseFrame(min, max, count, signed);
  if (numbers.sorted && count > 1) {
    const differences = new Float64Array(count - 1);
    for (let i = 1; i < count; i++) differences[i - 1] = rows[i]! - rows[i - 1]!;
    const inner = innerFrame(differences, count - 1, true);
    const first = rows[0]!;
    const size = varintSize(signed ? toZigzag(first) : first) + 1 + inner.size;
    // F-61: the encoding bytes, one each, weigh nothing.
    if (size < frame.size) {
      return { encoding: "delta", numbers, size: 1 + size, frame: inner, inner: differences };
    }
  }
  if (count >= FEWEST_WIDTHS && frame.width >= LEAST_WIDTH) {
    const widths = planWidths(numbers);
    if (saves(widths.size, 1 + frame.size)) return widths;
  }
  return { encoding: "frame", numbers, size: 1 + frame.size, frame };
}

function planWidths(numbers: Numbers): Plan {
  const { rows, count, signed } = numbers;
  const widths = new Uint8Array(count);
  let patterns = rows;
  if (signed) {
    const zigzags = new Float64Array(count);
    for (let i = 0; i < count; i++) zigzags[i] = toZigzag(rows[i]!);
    patterns = zigzags;
  }
  let bits = 0;
  for (let i = 0; i < count; i++) {
    const width = bitWidth(patterns[i]!);
    widths[i] = width;
    if (width > 1) bits += width - 1;
  }
  const frame = innerFrame(widths, count);
  const size = 2 + frame.size + Math.ceil(bits / 8);
  return { encoding: "widths", numbers, size, frame, inner: widths, patterns, bits };
}

function writePlan(out: Output, plan: Plan, outer: boolean): void {
  const { numbers, frame } = plan;
  const { rows, count, signed } = numbers;
  switch (plan.encoding) {
    case "frame":
      writeFrame(out, rows, count, frame, signed, outer);
      break;
    case "delta":
      out.byte(DELTA);
      if (signed) out.signedVarint(rows[0]!);
      else out.varint(rows[0]!);
      writeFrame(out, plan.inner!, count - 1, frame, true);
      break;
    case "widths":
      out.byte(WIDTHS);
      writeFrame(out, plan.inner!, count, frame, false);
      packBelowHighest(out, plan.patterns!, plan.inner as Uint8Array, plan.bits!);
      break;
    default:
      out.byte(SCALED);
      if (signed) out.signedVarint(numbers.min);
      else out.varint(numbers.min);
      out.varint(plan.g!);
      writePlan(out, plan.quotients!, false);
  }
}
