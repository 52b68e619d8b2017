/** The objects of a root, to find those that occur twice (F-64). */

import type { RowType } from "./sites.js";

export class Seen {
  /** Most values repeat no object: a set takes three quarters of the time of a table of numbers, which follows the first repeat. */
  private set = new Set<object>();
  private numbers: Map<object, number> | undefined;
  private count = 0;
  /** Of each number the row; an object that was added last may have none yet. */
  private readonly types: RowType[] = [];
  private readonly rows: number[] = [];

  /** Adds an object; its number if it is there already, else -1. */
  add(value: object): number {
    const { set, numbers, count } = this;
    if (numbers === undefined) {
      set.add(value);
      if (set.size > count) {
        this.count++;
        return -1;
      }
      // A set is in the order of insertion.
      let next = 0;
      this.numbers = new Map();
      for (const each of set) this.numbers.set(each, next++);
      this.set = new Set();
      return this.numbers.get(value)!;
    }
    const number = numbers.get(value);
    if (number !== undefined) return number;
    numbers.set(value, this.count++);
    return -1;
  }

  /** Notes the row of the object that was added last, unless it has one. */
  begin(type: RowType, row: number): void {
    if (this.types.length === this.count) return;
    this.types.push(type);
    this.rows.push(row);
  }

  /** The row type of an object; undefined if its row has not begun. */
  typeOf(number: number): RowType | undefined {
    return this.types[number];
  }

  rowOf(number: number): number {
    return this.rows[number]!;
  }

  clear(): void {
    if (this.numbers !== undefined || this.count > 0) this.set.clear();
    this.numbers = undefined;
    this.count = 0;
    this.types.length = 0;
    this.rows.length = 0;
  }
}
