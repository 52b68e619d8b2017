/** A decoder of zstd frames (RFC 8878). */

import { xxh64 } from "../kernel/xxh64.js";
import { BackwardBits, type FseTable, fseTable, type HuffmanTable, readFseTable, readHuffman } from "./entropy.js";
import { bad, type Header, numberAt } from "./header.js";

const MAX_BLOCK = 131_072;

/** What blocks are decoded with: what a dictionary begins with, or one block leaves to the next. */
export interface Tables {
  offsets: readonly [number, number, number];
  huffman: HuffmanTable | undefined;
  tables: readonly [FseTable?, FseTable?, FseTable?];
  /** What precedes the content: that of a dictionary. */
  readonly history: Uint8Array;
}

interface State {
  readonly out: Uint8Array;
  readonly history: Uint8Array;
  at: number;
  readonly offsets: [number, number, number];
  huffman: HuffmanTable | undefined;
  tables: [FseTable?, FseTable?, FseTable?];
}

/** Where frames without a dictionary begin. */
export const NO_TABLES: Tables = { offsets: [1, 4, 8], huffman: undefined, tables: [], history: new Uint8Array() };

/** Returns the content of a frame. */
export function decompressFrame(bytes: Uint8Array, header: Header, start: Tables): Uint8Array {
  const { size, hasChecksum } = header;
  let { at } = header;
  const take = (count: number): number => {
    const value = numberAt(bytes, at, count);
    at += count;
    return value;
  };
  const { huffman, history } = start;
  const state: State = {
    out: new Uint8Array(size),
    history,
    at: 0,
    offsets: [...start.offsets],
    huffman,
    tables: [...start.tables],
  };
  for (let last = false; !last; ) {
    const header = take(3);
    last = (header & 1) !== 0;
    const kind = (header >> 1) & 3;
    const length = header >> 3;
    const end = state.at + length;
    if (kind === 2) {
      if (at + length > bytes.length) throw bad();
      readBlock(bytes.subarray(at, at + length), state);
      at += length;
      continue;
    }
    if (kind === 3 || end > size) throw bad();
    if (kind === 0) {
      if (at + length > bytes.length) throw bad();
      state.out.set(bytes.subarray(at, at + length), state.at);
      at += length;
    } else state.out.fill(take(1), state.at, end);
    state.at = end;
  }
  if (hasChecksum && take(4) !== Number(xxh64(state.out) & 0xffffffffn)) throw bad();
  if (at !== bytes.length || state.at !== size) throw bad();
  return state.out;
}

function readBlock(bytes: Uint8Array, state: State): void {
  if (bytes.length > MAX_BLOCK) throw bad();
  const { literals, at } = readLiterals(bytes, state);
  readSequences(bytes, at, literals, state);
}

/** RFC 8878, 3.1.1.3.1. */
function readLiterals(bytes: Uint8Array, state: State): { literals: Uint8Array; at: number } {
  if (bytes.length === 0) throw bad();
  const first = bytes[0]!;
  const kind = first & 3;
  const format = (first >> 2) & 3;
  if (kind < 2) {
    const header = format === 3 ? 3 : format === 1 ? 2 : 1;
    if (bytes.length < header) throw bad();
    let size = first >> (header === 1 ? 3 : 4);
    if (header > 1) size |= bytes[1]! << 4;
    if (header > 2) size |= bytes[2]! << 12;
    const end = header + (kind === 0 ? size : 1);
    if (end > bytes.length || size > MAX_BLOCK) throw bad();
    const literals = kind === 0 ? bytes.subarray(header, end) : new Uint8Array(size).fill(bytes[header]!);
    return { literals, at: end };
  }
  const header = format < 2 ? 3 : format + 2;
  if (bytes.length < header) throw bad();
  const width = format < 2 ? 10 : format === 2 ? 14 : 18;
  let value = 0;
  for (let i = 0; i < header; i++) value += bytes[i]! * 2 ** (8 * i);
  value = Math.floor(value / 16);
  const size = value % 2 ** width;
  const packed = Math.floor(value / 2 ** width);
  const end = header + packed;
  if (end > bytes.length || size > MAX_BLOCK) throw bad();
  let at = header;
  if (kind === 2) {
    const read = readHuffman(bytes.subarray(at, end));
    state.huffman = read.table;
    at += read.length;
  }
  if (state.huffman === undefined) throw bad();
  const literals = new Uint8Array(size);
  if (format === 0) state.huffman.decode(bytes.subarray(at, end), literals, 0, size);
  else {
    if (end - at < 6) throw bad();
    const part = (size + 3) >> 2;
    let from = at + 6;
    for (let i = 0; i < 4; i++) {
      const to = i === 3 ? end : from + bytes[at + 2 * i]! + bytes[at + 2 * i + 1]! * 256;
      if (to > end || Math.min(size, 3 * part) !== 3 * part) throw bad();
      state.huffman.decode(bytes.subarray(from, to), literals, i * part, i === 3 ? size : (i + 1) * part);
      from = to;
    }
  }
  return { literals, at: end };
}

/** The extra bits of the codes of lengths, and their least values. */
const LITERAL_BITS = [...new Array(16).fill(0), 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
const MATCH_BITS = [...new Array(32).fill(0), 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
const LITERAL_BASES = basesOf(LITERAL_BITS, 0);
const MATCH_BASES = basesOf(MATCH_BITS, 3);

function basesOf(bits: number[], first: number): number[] {
  const bases: number[] = [];
  let base = first;
  for (const width of bits) {
    bases.push(base);
    base += 2 ** width;
  }
  return bases;
}

const DEFAULTS: readonly (readonly [number[], number])[] = [
  [[4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1], 6],
  [[1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1], 5],
  [
    [
      1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
      1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
    ],
    6,
  ],
];
/** The most bits of a table's states, and the largest symbol: of literal lengths, offsets, match lengths. */
export const LIMITS = [
  [9, 35],
  [8, 31],
  [9, 52],
] as const;

/** RFC 8878, 3.1.1.3.2. */
function readSequences(bytes: Uint8Array, start: number, literals: Uint8Array, state: State): void {
  let at = start;
  let count = bytes[at++];
  if (count === undefined) throw bad();
  if (count > 127) {
    if (count === 255) {
      if (at + 2 > bytes.length) throw bad();
      count = bytes[at]! + bytes[at + 1]! * 256 + 0x7f00;
      at += 2;
    } else {
      if (at >= bytes.length) throw bad();
      count = (count - 128) * 256 + bytes[at++]!;
    }
  }
  if (count === 0) {
    if (at !== bytes.length) throw bad();
    copyLiterals(literals, 0, literals.length, state);
    return;
  }
  const modes = bytes[at++];
  if (modes === undefined || modes & 3) throw bad();
  for (let i = 0; i < 3; i++) {
    const mode = (modes >> (6 - 2 * i)) & 3;
    const [accuracy, largest] = LIMITS[i]!;
    if (mode === 0) state.tables[i] = fseTable(...DEFAULTS[i]!);
    else if (mode === 1) {
      const symbol = bytes[at++];
      if (symbol === undefined || symbol > largest) throw bad();
      state.tables[i] = {
        bits: 0,
        symbols: Uint8Array.of(symbol),
        widths: new Uint8Array(1),
        bases: new Uint16Array(1),
      };
    } else if (mode === 2) {
      const read = readFseTable(bytes.subarray(at), accuracy, largest);
      state.tables[i] = read.table;
      at += read.length;
    } else if (state.tables[i] === undefined) throw bad();
  }
  runSequences(new BackwardBits(bytes.subarray(at)), count, literals, state);
}

function runSequences(bits: BackwardBits, count: number, literals: Uint8Array, state: State): void {
  const [lengths, offsets, matches] = state.tables as [FseTable, FseTable, FseTable];
  let literalState = bits.read(lengths.bits);
  let offsetState = bits.read(offsets.bits);
  let matchState = bits.read(matches.bits);
  const { out } = state;
  const last = state.offsets;
  let literal = 0;
  for (let i = 0; i < count; i++) {
    const code = offsets.symbols[offsetState]!;
    const value = 2 ** code + bits.read(code);
    const matchCode = matches.symbols[matchState]!;
    const match = MATCH_BASES[matchCode]! + bits.read(MATCH_BITS[matchCode]!);
    const literalCode = lengths.symbols[literalState]!;
    const length = LITERAL_BASES[literalCode]! + bits.read(LITERAL_BITS[literalCode]!);
    let offset: number;
    if (value > 3) {
      offset = value - 3;
      last[2] = last[1];
      last[1] = last[0];
      last[0] = offset;
    } else {
      const which = value - 1 + (length === 0 ? 1 : 0);
      offset = which === 3 ? last[0] - 1 : last[which]!;
      if (which > 1) last[2] = last[1];
      if (which > 0) {
        last[1] = last[0];
        last[0] = offset;
      }
    }
    copyLiterals(literals, literal, length, state);
    literal += length;
    const end = state.at + match;
    if (offset < 1 || end > out.length) throw bad();
    if (offset > state.at) copyHistory(offset - state.at, end, state);
    const from = state.at - offset;
    if (offset >= end - state.at) out.copyWithin(state.at, from, from + end - state.at);
    else for (let to = state.at, at = from; to < end; ) out[to++] = out[at++]!;
    state.at = end;
    if (i < count - 1) {
      literalState = lengths.bases[literalState]! + bits.read(lengths.widths[literalState]!);
      matchState = matches.bases[matchState]! + bits.read(matches.widths[matchState]!);
      offsetState = offsets.bases[offsetState]! + bits.read(offsets.widths[offsetState]!);
    }
  }
  if (bits.left !== 0) throw bad();
  copyLiterals(literals, literal, literals.length - literal, state);
}

function copyLiterals(literals: Uint8Array, from: number, count: number, state: State): void {
  if (from + count > literals.length || state.at + count > state.out.length) throw bad();
  state.out.set(literals.subarray(from, from + count), state.at);
  state.at += count;
}

/** Copies the part of a match that is in the history: at most the last `count` bytes of it. */
function copyHistory(count: number, end: number, state: State): void {
  const { history } = state;
  const from = history.length - count;
  if (from < 0) throw bad();
  const part = history.subarray(from, from + Math.min(count, end - state.at));
  state.out.set(part, state.at);
  state.at += part.length;
}
