/**
 * Columns of values as lists. Each kind of column has loops of its own: V8 notes by the text of a function which arrays it
 * has met, and an array of floats made where it met nothing else keeps them unboxed.
 */

/** The values of a site, one for each row: numbers in typed arrays, other values in plain ones. */
export type Values = unknown[] | Int32Array | Float32Array | Float64Array;

/** Rows of a union whose variants are still apart: a list with items of one variant is made like any other list of it. */
export class Mixed {
  constructor(
    readonly numbers: ArrayLike<number>,
    readonly variants: readonly Values[],
  ) {}

  /** All rows in their order. */
  plain(): unknown[] {
    const { numbers } = this;
    const columns = this.variants.map(plainOf);
    const taken = new Int32Array(columns.length);
    const rows: unknown[] = new Array(numbers.length);
    for (let i = 0; i < rows.length; i++) {
      const variant = numbers[i]!;
      rows[i] = columns[variant]![taken[variant]!++];
    }
    return rows;
  }
}

/** A column as a plain array. */
export function plainOf(values: Values | Mixed): unknown[] {
  if (Array.isArray(values)) return values;
  if (values instanceof Mixed) return values.plain();
  return values instanceof Int32Array ? plainInts(values) : plainFloats(values);
}

function plainInts(values: Int32Array): number[] {
  const made: number[] = new Array(values.length);
  for (let i = 0; i < made.length; i++) made[i] = values[i]!;
  return made;
}

function plainFloats(values: Float32Array | Float64Array): number[] {
  const made: number[] = new Array(values.length);
  for (let i = 0; i < made.length; i++) made[i] = values[i]!;
  return made;
}

/** n lists of these lengths, one after the other. */
export function listsOf(n: number, items: Values | Mixed, lengths: ArrayLike<number>): unknown[][] {
  if (n === 1) return [plainOf(items)];
  if (items instanceof Mixed) return mixedLists(n, items, lengths);
  const make = sliceOf(items);
  const lists: unknown[][] = new Array(n);
  for (let i = 0, at = 0; i < n; i++) {
    const end = at + lengths[i]!;
    lists[i] = make(items as never, at, end);
    at = end;
  }
  return lists;
}

type Slice = (items: never, at: number, end: number) => unknown[];

/** What makes a list of some rows of a column. */
function sliceOf(items: Values): Slice {
  if (Array.isArray(items)) return sliceAny;
  return items instanceof Int32Array ? sliceInts : items instanceof Float64Array ? sliceDoubles : sliceSingles;
}

function sliceAny(items: unknown[], at: number, end: number): unknown[] {
  return items.slice(at, end);
}

function sliceInts(items: Int32Array, at: number, end: number): number[] {
  const list: number[] = new Array(end - at);
  for (let i = at; i < end; i++) list[i - at] = items[i]!;
  return list;
}

function sliceDoubles(items: Float64Array, at: number, end: number): number[] {
  const list: number[] = new Array(end - at);
  for (let i = at; i < end; i++) list[i - at] = items[i]!;
  return list;
}

function sliceSingles(items: Float32Array, at: number, end: number): number[] {
  return Array.from(items.subarray(at, end));
}

function mixedLists(n: number, { numbers, variants }: Mixed, lengths: ArrayLike<number>): unknown[][] {
  const slices = variants.map(sliceOf);
  const taken = new Int32Array(variants.length);
  const lists: unknown[][] = new Array(n);
  for (let i = 0, at = 0; i < n; i++) {
    const end = at + lengths[i]!;
    const variant = numbers[at]!;
    let next = at;
    while (next < end && numbers[next] === variant) next++;
    if (next === end && at < end) {
      const from = taken[variant]!;
      const to = from + end - at;
      taken[variant] = to;
      lists[i] = slices[variant]!(variants[variant] as never, from, to);
    } else {
      const list: unknown[] = new Array(end - at);
      for (next = at; next < end; next++) {
        const other = numbers[next]!;
        list[next - at] = variants[other]![taken[other]!++];
      }
      lists[i] = list;
    }
    at = end;
  }
  return lists;
}

/** The rows of an option: items where a row has one, else null. */
export function optionsOf(n: number, present: Uint8Array, items: unknown[]): unknown[] {
  const rows: unknown[] = new Array(n);
  let next = 0;
  for (let i = 0; i < n; i++) rows[i] = present[i] === 1 ? items[next++] : null;
  return rows;
}
