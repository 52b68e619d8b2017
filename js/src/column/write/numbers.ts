/** The rows of a column of numbers as they are gathered. */

const NONE = new Float64Array(0);
/** So many are in the engine's own memory. */
const FEWEST = 8;

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
    this.rows.fill(row, this.length, (this.length += count));
  }

  /** Makes room for more rows. */
  reserve(count: number): void {
    const { rows, length } = this;
    if (length + count <= rows.length) return;
    this.rows = new Float64Array(Math.max(length + count, 2 * length, FEWEST));
    this.rows.set(rows);
  }

  empty(): void {
    this.length = 0;
  }
}
