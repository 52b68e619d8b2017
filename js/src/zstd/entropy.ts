/** The entropy codes of zstd (RFC 8878, chapter 4): FSE and Huffman. Whatever is not valid is a RangeError. */

/** Bits read from the last byte to the first, from the highest down. */
export class BackwardBits {
  /** How many bits are left. It is below 0 when more were read than there are; those are 0. */
  left: number;

  constructor(private readonly bytes: Uint8Array) {
    const last = bytes[bytes.length - 1];
    // The highest one bit of the last byte ends the bits.
    if (!last) throw new RangeError();
    this.left = 8 * bytes.length - 1 - (Math.clz32(last) - 24);
  }

  /** The next number of up to 32 bits. */
  read(width: number): number {
    if (width === 0) return 0;
    if (this.left < width) throw new RangeError();
    this.left -= width;
    return this.peekAt(this.left, width);
  }

  /** A number at a place from which on there may be no bits; those are 0. */
  peek(width: number): number {
    const from = this.left - width;
    if (from >= 0) return this.peekAt(from, width);
    return this.left <= 0 ? 0 : this.peekAt(0, this.left) << -from;
  }

  private peekAt(from: number, width: number): number {
    const at = from >> 3;
    const { bytes } = this;
    const low =
      bytes[at]! + (bytes[at + 1] ?? 0) * 256 + (bytes[at + 2] ?? 0) * 65536 + (bytes[at + 3] ?? 0) * 16777216;
    const value = low + (bytes[at + 4] ?? 0) * 4294967296;
    return Math.floor(value / 2 ** (from & 7)) % 2 ** width;
  }
}

/** For each state the symbol, and the bits and base of the next state. */
export interface FseTable {
  readonly bits: number;
  readonly symbols: Uint8Array;
  readonly widths: Uint8Array;
  readonly bases: Uint16Array;
}

/** The table of a distribution; -1 is a probability below 1. */
export function fseTable(distribution: readonly number[], bits: number): FseTable {
  const size = 1 << bits;
  const symbols = new Uint8Array(size);
  const next = new Uint16Array(distribution.length);
  let high = size - 1;
  distribution.forEach((weight, symbol) => {
    next[symbol] = Math.abs(weight);
    if (weight === -1) symbols[high--] = symbol;
  });
  const step = (size >> 1) + (size >> 3) + 3;
  let at = 0;
  distribution.forEach((weight, symbol) => {
    for (let i = 0; i < weight; i++) {
      symbols[at] = symbol;
      do at = (at + step) & (size - 1);
      while (at > high);
    }
  });
  const widths = new Uint8Array(size);
  const bases = new Uint16Array(size);
  for (let state = 0; state < size; state++) {
    const x = next[symbols[state]!]!++;
    const width = bits - (31 - Math.clz32(x));
    widths[state] = width;
    bases[state] = (x << width) - size;
  }
  return { bits, symbols, widths, bases };
}

/** Reads a distribution (RFC 8878, 4.1.1), and returns its table and how many bytes it takes. */
export function readFseTable(bytes: Uint8Array, most: number, largest: number): { table: FseTable; length: number } {
  let place = 0;
  const peek = (width: number): number => {
    const at = place >> 3;
    const word = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16);
    return (word >> (place & 7)) & ((1 << width) - 1);
  };
  const bits = peek(4) + 5;
  place += 4;
  if (bits > most) throw new RangeError();
  const distribution: number[] = [];
  let left = 1 << bits;
  while (left > 0) {
    if (distribution.length > largest) throw new RangeError();
    const width = 32 - Math.clz32(left + 1);
    const value = peek(width);
    const lower = value & ((1 << (width - 1)) - 1);
    const threshold = (1 << width) - 1 - (left + 1);
    let weight: number;
    if (lower < threshold) {
      place += width - 1;
      weight = lower;
    } else {
      place += width;
      weight = value < 1 << (width - 1) ? value : value - threshold;
    }
    weight--;
    distribution.push(weight);
    left -= Math.abs(weight);
    if (weight === 0) {
      for (let repeat = 3; repeat === 3; ) {
        repeat = peek(2);
        place += 2;
        for (let i = 0; i < repeat; i++) distribution.push(0);
        if (distribution.length > largest + 1) throw new RangeError();
      }
    }
  }
  const length = (place + 7) >> 3;
  if (left < 0 || length > bytes.length || distribution.length > largest + 1) throw new RangeError();
  return { table: fseTable(distribution, bits), length };
}

/** Codes of up to 11 bits for bytes. */
export class HuffmanTable {
  private readonly symbols: Uint8Array;
  private readonly widths: Uint8Array;

  constructor(
    weights: readonly number[],
    private readonly bits: number,
  ) {
    this.symbols = new Uint8Array(1 << bits);
    this.widths = new Uint8Array(1 << bits);
    // Codes are given from weight 1 on, each weight in the order of its symbols.
    let at = 0;
    for (let weight = 1; weight <= bits; weight++) {
      weights.forEach((each, symbol) => {
        if (each !== weight) return;
        const end = at + (1 << (weight - 1));
        this.symbols.fill(symbol, at, end);
        this.widths.fill(bits + 1 - weight, at, end);
        at = end;
      });
    }
  }

  /** Decodes one stream, which must end exactly. */
  decode(bytes: Uint8Array, out: Uint8Array, from: number, to: number): void {
    const stream = new BackwardBits(bytes);
    for (let i = from; i < to; i++) {
      const index = stream.peek(this.bits);
      out[i] = this.symbols[index]!;
      stream.left -= this.widths[index]!;
    }
    if (stream.left !== 0) throw new RangeError();
  }
}

/** Reads the description of a Huffman tree (RFC 8878, 4.2.1). */
export function readHuffman(bytes: Uint8Array): { table: HuffmanTable; length: number } {
  const first = bytes[0];
  if (first === undefined) throw new RangeError();
  const weights: number[] = [];
  let length: number;
  if (first >= 128) {
    const count = first - 127;
    length = 1 + ((count + 1) >> 1);
    if (length > bytes.length) throw new RangeError();
    for (let i = 0; i < count; i++) weights.push((bytes[1 + (i >> 1)]! >> (i & 1 ? 0 : 4)) & 15);
  } else {
    length = 1 + first;
    if (length > bytes.length) throw new RangeError();
    readWeights(bytes.subarray(1, length), weights);
  }
  let sum = 0;
  for (const weight of weights) if (weight > 0) sum += 1 << (weight - 1);
  if (sum === 0) throw new RangeError();
  const bits = 32 - Math.clz32(sum);
  const rest = (1 << bits) - sum;
  // The last weight is not written: it makes the sum a power of two.
  if (bits > 11 || (rest & (rest - 1)) !== 0 || weights.length > 255) throw new RangeError();
  weights.push(32 - Math.clz32(rest));
  return { table: new HuffmanTable(weights, bits), length };
}

/** Two states take turns, until the bits end. */
function readWeights(bytes: Uint8Array, weights: number[]): void {
  const { table, length } = readFseTable(bytes, 6, 255);
  const bits = new BackwardBits(bytes.subarray(length));
  let one = bits.read(table.bits);
  let two = bits.read(table.bits);
  for (;;) {
    weights.push(table.symbols[one]!);
    const width = table.widths[one]!;
    if (bits.left < width) {
      weights.push(table.symbols[two]!);
      return;
    }
    const next = table.bases[one]! + bits.read(width);
    one = two;
    two = next;
    if (weights.length > 255) throw new RangeError();
  }
}
