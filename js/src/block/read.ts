/** Blocks (chapter 5): the columns of a root and of its definitions. Recurses on the nesting of the schema alone. */

import { ones, readBits } from "../column/read/bits.js";
import { skipLater } from "../column/read/encoded.js";
import { type FloatBits, readFloats } from "../column/read/floats.js";
import type { Frame, IntRows } from "../column/read/frame.js";
import { total } from "../column/read/inner.js";
import { lastRowOffsets, readCounts, readInts, skipFrame } from "../column/read/ints.js";
import { readRaw } from "../column/read/raw.js";
import { readByteStrings, readStrings } from "../column/read/text.js";
import { fault, HoldallError, inRow, rowOf } from "../error.js";
import type { Input } from "../kernel/input.js";
import { valueCount } from "../schema/packable.js";
import * as T from "../schema/types.js";
import type * as V from "../values.js";
import { pathText, type Step } from "./path.js";

/** A column as it was read: of integers, floats, bits, text, raw bytes. */
export type Data = IntRows | FloatBits | Uint8Array | string[] | Uint8Array[];

/** A type at its place, with its rows. */
export class Site {
  /** Of integers, what the rows are made of when they are asked for: a view asks for few of its columns. */
  frame: Frame | undefined = undefined;
  private rows: Data | ((count?: number) => Data) | undefined = undefined;
  /** Of a sparse record the shape of each row. */
  shapes: ArrayLike<number>[] | undefined = undefined;
  /** Of tensors the dimensions of each row. */
  dimensions: V.Integer[][] | undefined = undefined;
  /** Where faults of references are reported, row by row, or for all. */
  places: number[] | undefined = undefined;
  /** Of tensors, the bytes of all elements. */
  elements: Uint8Array | undefined = undefined;
  /** Whether the values are unknown (F-73, F-77). */
  unknown = false;
  /** The sites inside, in the order of their columns; none without rows (F-25). */
  inside: Site[] = [];
  /** Of def and shared, the row of the definition for each row. */
  targets: Int32Array | undefined = undefined;
  /**
   * In definitions that can contain themselves, the row of each site inside by row of this site, or by item or entry: there,
   * the rows of a site are in the order of the walk, not in that of the rows around them (F-33).
   */
  children: Int32Array[] | undefined = undefined;
  /** How many rows the walk has taken. */
  taken = 0;

  constructor(
    readonly type: T.Type,
    readonly n: number,
    /** Where the columns begin. */
    readonly start: number,
  ) {}

  /** Values, lengths, presence, numbers of variants or of shapes, references, or the orders of tensors. */
  get data(): Data | undefined {
    this.rows ??= this.frame?.rows();
    if (typeof this.rows === "function") this.rows = this.rows();
    return this.rows;
  }

  set data(rows: Data | ((count?: number) => Data) | undefined) {
    this.rows = rows;
  }

  /** What makes the next rows of a column of strings that is not made yet. */
  get next(): ((count?: number) => Data) | undefined {
    return typeof this.rows === "function" ? this.rows : undefined;
  }
}

/** Where the columns of each type begin, in the order of the columns (F-86), and where those before it ended. */
export type Starts = [type: T.Type, at: number, before: number][];

export interface Block {
  readonly root: Site;
  readonly definitions: readonly Site[];
}

/** Reads a block, with the check that definitions have as many rows as are used (F-34) still to come: `checkUses`. */
export function readBlock(
  input: Input,
  schema: T.Schema,
  roots = 1,
  starts?: Starts,
  jumps?: ReadonlyMap<T.Type, number>,
): Block & { checkUses(): void; counts: number[] } {
  const rows: number[] = [];
  const counts: number[] = [];
  for (let i = 0; i < schema.definitions.length; i++) {
    counts.push(input.pos);
    rows.push(input.varint());
  }
  const sites = new SiteReader(input, rows.length, starts, jumps);
  let root: Site;
  const definitions: Site[] = [];
  try {
    root = sites.read(schema.root, roots);
    for (const type of schema.definitions) definitions.push(sites.read(type, rows[definitions.length]!));
  } catch (error) {
    if (!(error instanceof HoldallError)) throw error;
    const definition = root! === undefined ? -1 : definitions.length;
    throw error.with({ path: pathText(sites.steps(), rowOf(error), definition) });
  }
  const checkUses = (): void => {
    for (let i = 0; i < rows.length; i++) {
      if (sites.uses[i] !== rows[i]) throw fault("definition_rows_mismatch", counts[i]!);
    }
  };
  return { root, definitions, checkUses, counts };
}

/** Reads n rows of a type without definitions. */
export function readSite(input: Input, type: T.Type, n: number): Site {
  return new SiteReader(input, 0, undefined).read(type, n);
}

/** Types inside tensors and packed have no columns. */
function addStarts(starts: Starts, type: T.Type, at: number, before: number, inside: boolean): void {
  starts.push([type, at, before]);
  if (!inside || type.code === T.TENSOR || type.code === T.PACKED) return;
  for (const each of T.typesInside(type)) addStarts(starts, each, at, at, true);
}

/** Whether a type has columns of its own, for which a directory has an entry (F-86). */
export function hasColumns(type: T.Type): boolean {
  const { code } = type;
  if (code === T.RECORD || code === T.STRUCT) return type.form !== T.FORM_ALL;
  if (code === T.UNION) return type.variants.length > 1;
  return code > T.NULL && ![T.TUPLE, T.ARRAY, T.DEF, T.LOGICAL, T.EXTENSION].includes(code as typeof T.TUPLE);
}

class SiteReader {
  /** For each definition, the rows at all def, and the zeros at all shared (F-34). */
  readonly uses: number[];
  /** The sites around the current one, each with the number of the types inside it that were begun. */
  private readonly around: { readonly site: Site; begun: number }[] = [];

  constructor(
    private readonly input: Input,
    definitions: number,
    private readonly starts: Starts | undefined,
    /** Where columns begin that do not follow those before them. */
    private readonly jumps?: ReadonlyMap<T.Type, number>,
  ) {
    this.uses = new Array(definitions).fill(0);
  }

  read(type: T.Type, n: number): Site {
    const { input } = this;
    const before = input.pos;
    const { around } = this;
    if (around.length > 0) around[around.length - 1]!.begun++;
    if (this.jumps !== undefined) input.pos = this.jumps.get(type) ?? before;
    const site = new Site(type, n, input.pos);
    if (this.starts !== undefined) addStarts(this.starts, type, input.pos, before, n === 0);
    if (n === 0) return site;
    around.push({ site, begun: 0 });
    this.fill(site, type, n);
    around.pop();
    return site;
  }

  /** The steps to the column that is read. */
  steps(): Step[] {
    return this.around.slice(0, -1).map(({ site, begun }): Step => [site, begun - 1]);
  }

  /** Reads the columns of a site with rows. */
  private fill(site: Site, type: T.Type, n: number): void {
    const { input } = this;
    const { code } = type;
    if (code === T.NEVER || (code === T.UNION && type.variants.length === 0)) {
      throw fault("never_has_rows", input.pos);
    }
    input.charge(8 * n * (code === T.PACKED ? valueCount(type.item) : 1));
    if (code <= T.BYTES) {
      if (code !== T.NULL) this.scalar(site, code);
      return;
    }
    switch (code) {
      case T.FIXED:
        site.data = readRaw(input, n, type);
        break;
      case T.OPTION: {
        const present = readBits(input, n);
        site.data = present;
        site.inside = [this.read(type.item, ones(present))];
        break;
      }
      case T.LIST: {
        const lengths = readCounts(input, n);
        site.data = lengths;
        site.inside = [this.read(type.item, total(lengths))];
        break;
      }
      case T.ARRAY:
        site.inside = [this.read(type.item, type.size * n)];
        break;
      case T.TUPLE:
        site.inside = type.items.map((item) => this.read(item, n));
        break;
      case T.RECORD:
      case T.STRUCT:
        this.record(site, type);
        break;
      case T.MAP: {
        const lengths = readCounts(input, n);
        site.data = lengths;
        const entries = total(lengths);
        site.inside = [this.read(type.key, entries)];
        site.inside.push(this.read(type.value, entries));
        break;
      }
      case T.UNION: {
        const count = type.variants.length;
        const rows = new Float64Array(count);
        if (count === 1) rows[0] = n;
        else {
          const numbers = readCounts(input, n, count);
          site.data = numbers;
          for (let i = 0; i < n; i++) rows[numbers[i]!]!++;
        }
        site.inside = type.variants.map((variant, i) => this.read(variant.type, rows[i]!));
        break;
      }
      case T.TENSOR:
        this.tensor(site, type.item);
        break;
      case T.PACKED:
        site.data = readRaw(input, n, type.item);
        break;
      case T.DEF:
        this.uses[type.index]! += n;
        break;
      case T.SHARED: {
        const numbers = readCounts(input, n);
        site.data = numbers;
        const { start, varints } = lastRowOffsets();
        site.places = varints.length > 0 ? varints : [start];
        for (let i = 0; i < n; i++) if (numbers[i] === 0) this.uses[type.index]!++;
        break;
      }
      case T.LOGICAL:
        site.inside = [this.read(type.storage, n)];
        break;
      case T.EXTENSION:
        site.inside = [this.read(type.item, n)];
        break;
      default:
        // F-73.
        input.take(input.varint());
        site.unknown = true;
    }
  }

  private scalar(site: Site, code: number): void {
    const { input } = this;
    const { n } = site;
    const few = n < (code === T.BOOL ? 9 : 4);
    const marked = code >= T.STRING || (code <= T.I128 && code !== T.BOOL && code !== T.U8 && code !== T.I8);
    if ((!few || marked) && skipLater(input, few)) site.unknown = true;
    else if (code === T.BOOL) site.data = readBits(input, n);
    else if (code <= T.I128) {
      if (!few) site.frame = skipFrame(input, code, n);
      if (site.frame === undefined) site.data = readInts(input, code, n);
    } else if (code <= T.F64) site.data = readFloats(input, code, n);
    else site.data = code === T.STRING ? readStrings(input, n) : readByteStrings(input, n);
  }

  /** F-31. */
  private record(site: Site, type: T.RecordType): void {
    const { input } = this;
    const { n } = site;
    const count = type.fields.length;
    const rows = new Array<number>(count).fill(type.form === T.FORM_ALL ? n : 0);
    if (type.form === T.FORM_SHAPES) {
      const numbers = readCounts(input, n, type.shapes.length);
      site.data = numbers;
      const uses = new Array<number>(type.shapes.length).fill(0);
      for (let i = 0; i < n; i++) uses[numbers[i]!]!++;
      type.shapes.forEach((shape, i) => {
        for (const field of shape) rows[field]! += uses[i]!;
      });
    } else if (type.form === T.FORM_SPARSE) {
      const counts = readCounts(input, n, count + 1);
      const all = total(counts);
      let numbers: Int32Array | Float64Array = new Int32Array(0);
      let start = input.pos;
      if (all > 0) {
        input.charge(8 * all);
        numbers = readCounts(input, all, count);
        start = lastRowOffsets().start;
      }
      const seen = new Int32Array(count).fill(-1);
      site.shapes = [];
      for (let i = 0, at = 0; i < n; i++) {
        const end = at + counts[i]!;
        site.shapes.push(numbers.subarray(at, end));
        for (; at < end; at++) {
          const field = numbers[at]!;
          if (seen[field] === i) throw inRow(fault("bad_shape", start), i);
          seen[field] = i;
          rows[field]!++;
        }
      }
    }
    site.inside = type.fields.map((field, i) => this.read(field.type, rows[i]!));
  }

  /** F-76. */
  private tensor(site: Site, element: T.Type): void {
    const { input } = this;
    const { n } = site;
    const ranks = readCounts(input, n, 33, "limit_rank");
    const dimensions = total(ranks);
    let numbers: IntRows = [];
    if (dimensions > 0) {
      input.charge(8 * dimensions);
      numbers = readInts(input, T.U64, dimensions);
    }
    site.data = readBits(input, n);
    site.dimensions = [];
    let elements = 0;
    for (let i = 0, at = 0; i < n; i++) {
      const shape: V.Integer[] = [...numbers.slice(at, (at += ranks[i]!))];
      site.dimensions.push(shape);
      elements += volume(shape);
    }
    site.elements = readRaw(input, elements, element, element);
  }
}

/** The number of elements of a tensor of these dimensions. */
export function volume(shape: readonly V.Integer[]): number {
  let product = 1;
  for (const dimension of shape) {
    // Else infinity times 0 would be no number.
    if (dimension === 0 || dimension === 0n) return 0;
    product *= Number(dimension);
  }
  return product;
}
