/** Rows of sites one by one: which row inside belongs to a row, and packed values as sites of their own. */

import { type Block, type Data, Site, volume } from "../block/read.js";
import { shapeOf } from "../block/shapes.js";
import { SCALAR_WIDTHS, valueWidth } from "../schema/packable.js";
import * as T from "../schema/types.js";
import type { Integer } from "../values.js";

/** Fields of one row: their numbers, and their rows. */
export interface RowFields {
  readonly numbers: ArrayLike<number>;
  /** The row of each field in its own site. */
  rowOf(index: number): number;
}

/** The rows of a block. What it counts of a site is kept. */
export class SiteRows {
  private readonly ranks = new Map<Site, Int32Array>();
  private readonly starts = new Map<Site, Float64Array>();
  private readonly shapes = new Map<Site, Int32Array>();
  private readonly expanded = new Map<Site, Site>();
  /** For each definition, whether a row is the target of a reference. */
  private readonly referenced: Uint8Array[];

  constructor(private readonly block: Block) {
    this.referenced = block.definitions.map((site) => new Uint8Array(site.n));
    for (const site of [block.root, ...block.definitions]) this.mark(site);
  }

  /** Recurses on the nesting of the schema. */
  private mark(site: Site): void {
    const { type, targets, n } = site;
    if (type.code === T.SHARED && n > 0) {
      const numbers = site.data as ArrayLike<number>;
      const rows = this.referenced[type.index]!;
      for (let i = 0; i < n; i++) if (numbers[i]! > 0) rows[targets![i]!] = 1;
    }
    for (const inside of site.inside) this.mark(inside);
  }

  isReferenced(definition: number, row: number): boolean {
    return this.referenced[definition]![row] === 1;
  }

  definition(index: number): Site {
    return this.block.definitions[index]!;
  }

  /** Of an option or union, the row inside; -1 for an absent option. */
  inner(site: Site, row: number): number {
    let ranks = this.ranks.get(site);
    if (ranks === undefined) {
      const numbers = site.data as ArrayLike<number> | undefined;
      const taken = site.inside.map(() => 0);
      ranks = new Int32Array(site.n);
      for (let i = 0; i < site.n; i++) {
        if (site.type.code === T.OPTION) ranks[i] = numbers![i] === 0 ? -1 : taken[0]!++;
        else ranks[i] = taken[numbers?.[i] ?? 0]!++;
      }
      this.ranks.set(site, ranks);
    }
    return ranks[row]!;
  }

  variant(site: Site, row: number): number {
    return (site.data as ArrayLike<number> | undefined)?.[row] ?? 0;
  }

  /** The first item, entry or element of a row. */
  start(site: Site, row: number): number {
    const { type, n } = site;
    if (type.code === T.ARRAY) return row * type.size;
    let starts = this.starts.get(site);
    if (starts === undefined) {
      starts = new Float64Array(n + 1);
      for (let i = 0; i < n; i++) {
        const count = type.code === T.TENSOR ? volume(site.dimensions![i]!) : (site.data as ArrayLike<number>)[i]!;
        starts[i + 1] = starts[i]! + count;
      }
      this.starts.set(site, starts);
    }
    return starts[row]!;
  }

  /** The number of items, entries or elements of a row. */
  count(site: Site, row: number): number {
    return site.type.code === T.ARRAY ? site.type.size : this.start(site, row + 1) - this.start(site, row);
  }

  /** The bytes of the elements of a tensor. */
  elements(site: Site, row: number): Uint8Array {
    const width = valueWidth((site.type as T.ItemType).item);
    return site.elements!.slice(width * this.start(site, row), width * this.start(site, row + 1));
  }

  /** The row of an item or entry in the site inside. */
  item(site: Site, inside: number, at: number): number {
    return site.children?.[inside]?.[at] ?? at;
  }

  fields(site: Site, type: T.RecordType, row: number): RowFields {
    if (type.form === T.FORM_ALL) {
      return { numbers: allNumbers(type), rowOf: (index) => site.children?.[index]?.[row] ?? row };
    }
    const numbers = shapeOf(site, type, row);
    if (site.children !== undefined) return { numbers, rowOf: (index) => site.children![numbers[index]!]![row]! };
    // The ranks of the fields of all rows, one after the other; then where each row begins.
    let flat = this.shapes.get(site);
    if (flat === undefined) {
      const ranks: number[] = [];
      const begins: number[] = [];
      const taken = new Int32Array(type.fields.length);
      for (let i = 0; i < site.n; i++) {
        begins.push(ranks.length);
        const shape = shapeOf(site, type, i);
        for (let j = 0; j < shape.length; j++) ranks.push(taken[shape[j]!]!++);
      }
      flat = Int32Array.from({ length: ranks.length + begins.length }, (_, i) => ranks[i] ?? begins[i - ranks.length]!);
      this.shapes.set(site, flat);
    }
    const begin = flat[flat.length - site.n + row]!;
    const ranks = flat;
    return { numbers, rowOf: (index) => ranks[begin + index]! };
  }

  /** The values of a packed site, or the elements of a site of tensors, as a site. */
  expand(site: Site): Site {
    let made = this.expanded.get(site);
    if (made === undefined) {
      const { item } = site.type as T.ItemType;
      const bytes = site.type.code === T.TENSOR ? site.elements! : (site.data as Uint8Array);
      const n = site.type.code === T.TENSOR ? this.start(site, site.n) : site.n;
      this.expanded.set(site, (made = expand(item, bytes, n)));
    }
    return made;
  }
}

const numbersOf: WeakMap<T.RecordType, Int32Array> = /* @__PURE__ */ new WeakMap();

function allNumbers(type: T.RecordType): Int32Array {
  let numbers = numbersOf.get(type);
  if (numbers === undefined) numbersOf.set(type, (numbers = Int32Array.from(type.fields.keys())));
  return numbers;
}

/** A site of values that no column holds. */
export function siteOf(type: T.Type, n: number, data: ArrayLike<unknown> | undefined, inside: Site[] = []): Site {
  const site = new Site(type, n, 0);
  site.data = data as Data | undefined;
  site.inside = inside;
  return site;
}

/** Packed values, one after the other, as a site. Recurses on the nesting of the type. */
function expand(type: T.Type, bytes: Uint8Array, n: number): Site {
  if (n === 0) return siteOf(type, 0, undefined);
  if (type.code === T.FIXED) return siteOf(type, n, bytes);
  if (type.code <= T.BYTES) return siteOf(type, n, scalars(type.code, bytes, n));
  if (type.code === T.ARRAY) return siteOf(type, n, undefined, [expand(type.item, bytes, n * type.size)]);
  const width = valueWidth(type);
  let at = 0;
  const inside = T.typesInside(type).map((each) => {
    const size = valueWidth(each);
    const part = new Uint8Array(n * size);
    for (let i = 0; i < n; i++) part.set(bytes.subarray(i * width + at, i * width + at + size), i * size);
    at += size;
    return expand(each, part, n);
  });
  return siteOf(type, n, undefined, inside);
}

function scalars(code: number, bytes: Uint8Array, n: number): ArrayLike<unknown> {
  const width = SCALAR_WIDTHS[code]!;
  if (code === T.BOOL || code === T.U8) return bytes;
  if (code >= T.F16) {
    const { buffer } = bytes.slice(0, n * width);
    if (code === T.F64) return new Float64Array(buffer);
    return code === T.F32 ? new Float32Array(buffer) : new Uint16Array(buffer);
  }
  const values: Integer[] = [];
  for (let i = 0; i < n; i++) {
    let value = 0n;
    for (let j = width - 1; j >= 0; j--) value = (value << 8n) | BigInt(bytes[i * width + j]!);
    if (code >= T.I8) value = BigInt.asIntN(8 * width, value);
    const number = Number(value);
    values.push(Number.isSafeInteger(number) ? number : value);
  }
  return values;
}
