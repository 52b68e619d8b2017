/** The objects of a root, to find those that occur twice (F-64). */

import type { RowType } from "./sites.js";

/** Memory for more objects is not kept. */
const MOST_KEPT = 2 ** 17;

/** Integers that grow, in memory of one type. */
function grown(numbers: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const more = new Int32Array(2 * numbers.length);
  more.set(numbers);
  return more;
}

/**
 * The rows of the objects so far, by their numbers; an object that was added last may have none yet. Its memory is used
 * again: to let four arrays grow by 56,000 items takes as long as to find that many objects in a set.
 */
class Rows {
  private readonly types: (RowType | undefined)[] = [];
  private rows = new Int32Array(64);
  private begun = 0;
  count = 0;

  /** Notes the row of the object that was added last, unless it has one. */
  begin(type: RowType, row: number): void {
    if (this.begun === this.count) return;
    if (this.begun === this.rows.length) this.rows = grown(this.rows);
    this.types[this.begun] = type;
    this.rows[this.begun++] = row;
  }

  /** The row type of an object; undefined if its row has not begun. */
  typeOf(number: number): RowType | undefined {
    return number < this.begun ? this.types[number] : undefined;
  }

  rowOf(number: number): number {
    return this.rows[number]!;
  }

  clear(): void {
    this.types.fill(undefined, 0, this.begun);
    this.begun = this.count = 0;
  }
}

/** Objects of all kinds. */
class Objects extends Rows {
  /** Most values repeat no object: a set takes three quarters of the time of a table of numbers, which follows the first repeat. */
  private set = new Set<object>();
  private numbers: Map<object, number> | undefined = undefined;

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

  override clear(): void {
    if (this.numbers !== undefined || this.count > 0) this.set.clear();
    this.numbers = undefined;
    super.clear();
  }
}

const double = new Float64Array(1);
const words = new Uint32Array(double.buffer);

/** A hash of the length of a list and of its first and last item, if they are numbers. */
function hashOf(list: readonly unknown[]): number {
  const { length } = list;
  double[0] = list[0] as number;
  let hash = Math.imul(words[0]! ^ length, 0x9e3779b1) ^ words[1]!;
  const last = list[length - 1];
  if (typeof last === "number") {
    double[0] = last;
    hash = Math.imul(hash ^ words[0]!, 0x85ebca6b) ^ words[1]!;
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35);
  return hash ^ (hash >>> 13);
}

/** A table with lists so far from their places has many of the same hash. */
const MOST_PROBES = 32;

/**
 * Lists that begin with a number. To find one of 56,000 pairs of numbers takes 60 ns by a set of the engine, which reads a
 * hash from each object whenever it grows, and 15 ns by the length and the first and last number. They must not change
 * while a value is written, or a list that occurs twice becomes two.
 */
class Lists extends Rows {
  private readonly lists: (readonly unknown[] | undefined)[] = [];
  private hashes = new Int32Array(64);
  /** The number of a list at each place, plus 1. */
  private table = new Int32Array(64);
  private isCrowded = false;

  /** Adds a list; its number if it is there already, else -1; -2 if too many others have its hash. */
  add(list: readonly unknown[]): number {
    const { table, hashes, lists } = this;
    const mask = table.length - 1;
    const hash = hashOf(list);
    let place = hash & mask;
    let probes = 0;
    for (let number = table[place]!; number !== 0; number = table[place]!) {
      if (hashes[number - 1] === hash && lists[number - 1] === list) return number - 1;
      place = (place + 1) & mask;
      probes++;
    }
    if (this.isCrowded) return -2;
    this.isCrowded = probes > MOST_PROBES;
    const number = this.count++;
    if (number === hashes.length) this.hashes = grown(hashes);
    this.hashes[number] = hash;
    lists[number] = list;
    table[place] = number + 1;
    if (2 * number > mask) this.grow();
    return -1;
  }

  private grow(): void {
    const { hashes, count } = this;
    const mask = 2 * this.table.length - 1;
    const table = new Int32Array(mask + 1);
    for (let number = 0; number < count; number++) {
      let place = hashes[number]! & mask;
      while (table[place] !== 0) place = (place + 1) & mask;
      table[place] = number + 1;
    }
    this.table = table;
  }

  override clear(): void {
    const { count, lists, table, hashes } = this;
    if (count === 0) return;
    lists.fill(undefined, 0, count);
    // Few lists are removed one by one.
    const mask = table.length - 1;
    if (16 * count > mask) table.fill(0);
    else {
      for (let number = 0; number < count; number++) {
        // Whatever else is on the way to its place is removed, too.
        for (let place = hashes[number]! & mask; table[place] !== 0; place = (place + 1) & mask) table[place] = 0;
      }
    }
    this.isCrowded = false;
    super.clear();
  }
}

/** All objects. */
export class Seen {
  private readonly objects = new Objects();
  private readonly lists = new Lists();
  /** Where the last one is. */
  private last: Rows = this.objects;

  /** Adds an object; its number if it is there already, else a negative one. */
  add(value: object): number {
    if (Array.isArray(value) && typeof value[0] === "number") {
      this.last = this.lists;
      const number = this.lists.add(value);
      if (number !== -2) return number;
    }
    this.last = this.objects;
    return this.objects.add(value);
  }

  /** Notes the row of the object that was added last, unless it has one. */
  begin(type: RowType, row: number): void {
    this.last.begin(type, row);
  }

  /** The row type of the object that was found last; undefined if its row has not begun. */
  typeOf(number: number): RowType | undefined {
    return this.last.typeOf(number);
  }

  rowOf(number: number): number {
    return this.last.rowOf(number);
  }

  /** Forgets all, at the end of a root. */
  clear(): void {
    this.objects.clear();
    this.lists.clear();
  }

  private get size(): number {
    return Math.max(this.objects.count, this.lists.count);
  }

  /** An empty one, which the caller gives back. */
  static take(): Seen {
    const seen = spare ?? new Seen();
    // A getter can write messages, too.
    spare = undefined;
    return seen;
  }

  giveBack(): void {
    const isSmall = this.size <= MOST_KEPT;
    this.clear();
    if (isSmall) spare = this;
  }
}

let spare: Seen | undefined;
