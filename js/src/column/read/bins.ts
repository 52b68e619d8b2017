/** Bins (F-29): numbers of bins, coded by rANS, and offsets in them. */

import { fault } from "../../error.js";
import type { Input } from "../../kernel/input.js";
import { wordAt } from "../../kernel/numbers.js";
import { Bits, checkUnused, type IntRows, narrow, wrap } from "./frame.js";
import { maximum, readInnerFrame, total } from "./inner.js";

const LEAST_STATE = 65536;

/** What follows the encoding byte `46`. */
export function readBins(input: Input, n: number, signed: boolean): IntRows {
  const { bytes } = input;
  let at = input.pos;
  const count = input.varint();
  if (count < 1 || count > 4096) throw fault("bad_bins", at);
  at = input.pos;
  const t = input.byte();
  if (t > 12) throw fault("bad_bins", at);
  const lowers = readInnerFrame(input, count, signed);
  at = input.pos;
  const widths = readInnerFrame(input, count);
  if (maximum(widths) > 64) throw fault("bad_bins", at);
  at = input.pos;
  const weights = readInnerFrame(input, count);
  if (Array.isArray(weights) || weights.includes(0) || total(weights) !== 1 << t) throw fault("bad_bins", at);
  at = input.pos;
  const words = input.varint();
  if (words > n) throw fault("bad_bins", at);
  const statesAt = input.take(16);
  const states = [0, 4, 8, 12].map((i) => wordAt(bytes, statesAt + i));
  if (states.some((state) => state < LEAST_STATE)) throw fault("bad_bins", statesAt);
  let word = input.take(2 * words);
  const wordsEnd = input.pos;

  const starts = new Int32Array(count);
  const binOfSlot = new Int32Array(1 << t);
  for (let k = 0, slot = 0; k < count; k++) {
    starts[k] = slot;
    const end = slot + weights[k]!;
    while (slot < end) binOfSlot[slot++] = k;
  }
  const bins = new Int32Array(n);
  const mask = (1 << t) - 1;
  let bits = 0;
  let widest = 0;
  for (let i = 0; i < n; i++) {
    const state = states[i & 3]!;
    const slot = state & mask;
    const k = binOfSlot[slot]!;
    bins[i] = k;
    const width = widths[k] as number;
    bits += width;
    if (width > widest) widest = width;
    let next = weights[k]! * (state >>> t) + slot - starts[k]!;
    if (next < LEAST_STATE) {
      if (word === wordsEnd) throw fault("bad_bins", statesAt);
      next = next * 65536 + bytes[word]! + bytes[word + 1]! * 256;
      word += 2;
    }
    states[i & 3] = next;
  }
  if (word !== wordsEnd || states.some((state) => state !== LEAST_STATE)) throw fault("bad_bins", statesAt);

  const offsets = new Bits(bytes, input.take(Math.ceil(bits / 8)));
  checkUnused(input, bits);
  if (widest <= 51 && !Array.isArray(lowers) && lowers.every((low) => Math.abs(low) < 2 ** 52)) {
    const rows = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      const k = bins[i]!;
      rows[i] = lowers[k]! + offsets.number(widths[k] as number);
    }
    return rows;
  }
  const rows: bigint[] = new Array(n);
  for (let i = 0; i < n; i++) {
    const k = bins[i]!;
    rows[i] = wrap(BigInt(lowers[k]!) + offsets.big(widths[k] as number), signed);
  }
  return narrow(rows);
}
