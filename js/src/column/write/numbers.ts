/** The rows of a column of numbers as they are gathered. */

const NONE = new Float64Array(0);
/** This many are in the engine's own memory. */
const POOLED_BY_ENGINE = 8;

/** Memory of earlier columns, by the binary logarithm of its length: to make and to collect it took a fifth of the time to write. */
const free: Float64Array<ArrayBuffer>[][] = [];
/** The most numbers that are kept in all: 4 MiB. */
const MOST_FREE = 2 ** 19;
let kept = 0;

/** Memory for that many numbers, which are not zeros. */
function memory(count: number): Float64Array<ArrayBuffer> {
  if (count <= POOLED_BY_ENGINE) return new Float64Array(POOLED_BY_ENGINE);
  const logarithm = 32 - Math.clz32(count - 1);
  const found = free[logarithm]?.pop();
  if (found === undefined) return new Float64Array(2 ** logarithm);
  kept -= found.length;
  return found;
}

function keep(rows: Float64Array<ArrayBuffer>): void {
  if (rows.length <= POOLED_BY_ENGINE || kept + rows.length > MOST_FREE) return;
  kept += rows.length;
  (free[31 - Math.clz32(rows.length)] ??= []).push(rows);
}

/** In memory of one type from the first row on: loops over arrays of several kinds take up to 7 times as long. */
export class NumberRows {
  rows = NONE;
  length = 0;

  push(row: number): void {
    if (this.length === this.rows.length) this.reserve(1);
    this.rows[this.length++] = row;
  }

  /** Adds the same row a number of times. */
  pushRun(row: number, count: number): void {
    this.reserve(count);
    const { rows, length } = this;
    const end = length + count;
    // A call of `fill` takes as long as several rows.
    for (let i = length; i < end; i++) rows[i] = row;
    this.length = end;
  }

  /** Makes room for more rows. */
  reserve(count: number): void {
    const { rows, length } = this;
    if (length + count <= rows.length) return;
    this.rows = memory(Math.max(length + count, 2 * length));
    this.rows.set(rows);
    keep(rows);
  }

  empty(): void {
    this.length = 0;
  }

  /** Forgets the rows, whose memory others can have. */
  release(): void {
    keep(this.rows);
    this.rows = NONE;
    this.empty();
  }
}
