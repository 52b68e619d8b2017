/**
 * Values of columns (chapter 7). Sites become arrays of values column by column, from the innermost on. Rows of a
 * definition that can contain itself are made empty first and filled then, so nothing recurses on the depth of data.
 */

import { ones } from "../column/read/bits.js";
import { type FloatBits, floatNumbers } from "../column/read/floats.js";
import { HoldallError, inRow } from "../error.js";
import type { ReadOptions, ReadTemporal } from "../options.js";
import { type Class, type Registration, registeredAs } from "../registry.js";
import { DURATION, ORDERED_MAP, WTF8 } from "../schema/logical.js";
import { valueWidth } from "../schema/packable.js";
import * as T from "../schema/types.js";
import { validated } from "../validate.js";
import * as V from "../values.js";
import { builtinError, builtinExtension, NONE } from "./builtins.js";
import { makeCyclic } from "./cyclic.js";
import { duplicateKey } from "./keys.js";
import { listsOf, Mixed, optionsOf, plainOf, type Values } from "./lists.js";
import { makeLogical } from "./logical.js";
import { type Fields, makeObjects, setOwn, shapesOf } from "./objects.js";
import { orderOf } from "./order.js";
import { unpack } from "./packed.js";
import { inEntry, notePlace, withPlace } from "./path.js";
import { type Block, type Site, volume } from "./read.js";
import { shapeOf } from "./shapes.js";

export type { Values } from "./lists.js";

/**
 * Records made together, from parts of their columns, which are garbage soon: in Node 0.8 to 0.9 of the time of whole columns
 * (flights, trips), in Chromium as long.
 */
const TOGETHER = 512;

/** Makes values as the options say. */
export class Making {
  readonly ints: "auto" | "number" | "bigint";
  private readonly temporal: ReadTemporal | undefined;
  /** The values of the definitions made so far. */
  readonly definitions = new Map<number, Values>();

  private readonly types = new Map<string, { readonly class: Class; readonly registration: Registration }>();

  constructor(options: ReadOptions) {
    this.ints = options.int ?? "auto";
    this.temporal = options.temporal;
    for (const [type, registration] of options.types ?? []) {
      this.types.set(registration.name, { class: type, registration });
    }
  }

  /** The values of the roots. */
  roots(block: Block): Values {
    this.prepare(block);
    return this.make(block.root);
  }

  /** Makes the rows of the definitions, which all other rows can refer to. */
  prepare(block: Block): void {
    makeDefinitions(block.definitions, this);
  }

  /** An integer, as the option `int` says. */
  int(value: number | bigint, row?: number): number | bigint {
    if (this.ints === "bigint") return BigInt(value);
    if (typeof value === "number") return value;
    const number = Number(value);
    if (Number.isSafeInteger(number)) return number;
    if (this.ints === "number") {
      const help = 'pass int: "auto" or "bigint"';
      throw inRow(new HoldallError("unrepresentable", { got: `the integer ${value}`, help }), row);
    }
    return value;
  }

  logical(type: T.LogicalType, storage: unknown): unknown {
    const value = makeLogical(type, storage);
    return this.temporal !== undefined && type.kind <= DURATION && !(value instanceof Date)
      ? this.temporal(value as V.Timestamp)
      : value;
  }

  /** The class of a name in data. */
  classOf(name: string): { readonly class: Class; readonly registration: Registration } | undefined {
    return this.types.get(name) ?? registeredAs(name);
  }

  struct(name: string, fields: Fields): unknown {
    const known = this.classOf(name);
    if (known === undefined) return builtinError(name, fields) ?? new V.Record(name, fields);
    const { decode } = known.registration;
    if (decode !== undefined) return decode(fields as never);
    const object = Object.create(known.class.prototype) as Fields;
    for (const key of Object.keys(fields)) setOwn(object, key, fields[key]);
    return object;
  }

  /** A value that `encode` made of an object, and that is no object of fields, is an extension of the class's name. */
  extension(name: string, value: unknown): unknown {
    const decode = this.classOf(name)?.registration.decode;
    if (decode !== undefined) return decode(value as never);
    const builtin = builtinExtension(name, value);
    if (builtin !== NONE) return builtin;
    const extension = new V.Extension(name, value);
    return this.temporal === undefined ? extension : this.temporal(extension);
  }

  /** The values of a site and all inside it. Recurses on the nesting of the schema. */
  make(site: Site): Values {
    const values = this.columnOf(site);
    return values instanceof Mixed ? values.plain() : values;
  }

  /** The same, where rows of a union may still be apart. */
  private columnOf(site: Site): Values | Mixed {
    try {
      return this.valuesOf(site);
    } catch (error) {
      if (error instanceof HoldallError) notePlace(error, site);
      throw error;
    }
  }

  private valuesOf(site: Site): Values | Mixed {
    const { n, type, data, inside } = site;
    const { code } = type;
    if (n === 0) return [];
    if (site.unknown) return new Array(n).fill(V.UNKNOWN);
    if (code <= T.BYTES) return this.scalars(site, code);
    switch (code) {
      case T.FIXED: {
        const bytes = data as Uint8Array;
        return rows(n, (i) => bytes.slice(i * type.size, (i + 1) * type.size));
      }
      case T.OPTION:
        return optionsOf(n, data as Uint8Array, plainOf(this.make(inside[0]!)));
      case T.LIST:
        return listsOf(n, this.columnOf(inside[0]!), data as Int32Array);
      case T.ARRAY:
        return listsOf(n, this.columnOf(inside[0]!), new Int32Array(n).fill(type.size));
      case T.TUPLE: {
        const columns = inside.map((each) => this.make(each));
        return rows(n, (i) => {
          const tuple = new V.Tuple();
          for (const column of columns) tuple.push(column[i]);
          return tuple;
        });
      }
      case T.RECORD:
      case T.STRUCT: {
        const objects = this.records(site, type);
        return code === T.STRUCT ? objects.map((fields) => this.struct(type.name, fields)) : objects;
      }
      case T.MAP:
        return this.maps(site, type, false);
      case T.UNION: {
        const numbers = (data as Int32Array | undefined) ?? new Int32Array(n);
        const mixed = new Mixed(
          numbers,
          inside.map((each) => this.make(each)),
        );
        if (!type.named) return mixed;
        const values = mixed.plain();
        return rows(n, (i) => new V.Variant(type.variants[numbers[i]!]!.name, values[i]));
      }
      case T.TENSOR:
        return tensors(site, type.item);
      case T.PACKED: {
        const bytes = data as Uint8Array;
        const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
        const width = valueWidth(type.item);
        return rows(n, (i) => unpack(type.item, view, i * width, this));
      }
      case T.DEF:
      case T.SHARED: {
        const values = this.definitions.get(type.index)!;
        const { targets } = site;
        return rows(n, (i) => values[targets![i]!]);
      }
      case T.LOGICAL: {
        if (type.kind === ORDERED_MAP && type.storage.code === T.MAP) return this.maps(inside[0]!, type.storage, true);
        const storage = this.make(inside[0]!);
        return rows(n, (i) => this.logical(type, storage[i]));
      }
      case T.EXTENSION: {
        const items = this.make(inside[0]!);
        return rows(n, (i) => this.extension(type.name, items[i]));
      }
    }
    throw new TypeError("a code without values");
  }

  private scalars(site: Site, code: number): Values {
    const { n, data } = site;
    if (code === T.NULL) return new Array(n).fill(null);
    if (code === T.BOOL) {
      const bits = data as Uint8Array;
      return rows(n, (i) => bits[i] === 1);
    }
    if (code <= T.I128) {
      const ints = data as Int32Array | bigint[];
      if (this.ints !== "bigint" && !Array.isArray(ints)) return ints;
      return rows(n, (i) => this.int(ints[i]!, i));
    }
    if (code <= T.F64) return floatNumbers(code, data as FloatBits);
    if (code === T.STRING) return data as string[];
    const parts = data as Uint8Array[];
    return rows(n, (i) => parts[i]!.slice());
  }

  private records(site: Site, type: T.RecordType): Fields[] {
    const { n, inside } = site;
    if (type.form === T.FORM_ALL && n > TOGETHER) {
      const objects: Fields[] = new Array(n);
      const nexts = inside.map((each) => this.nextOf(each));
      for (let at = 0; at < n; at += TOGETHER) {
        const count = Math.min(TOGETHER, n - at);
        const columns = nexts.map((next) => next(count));
        makeObjects(shapesOf(type), undefined, columns, count, objects, at);
      }
      return objects;
    }
    const columns = inside.map((each) => plainOf(this.make(each)));
    if (type.form !== T.FORM_SPARSE) {
      return makeObjects(shapesOf(type), site.data as Int32Array | undefined, columns, n);
    }
    const taken = columns.map(() => 0);
    return rows(n, (i) => {
      const object: Fields = {};
      const shape = shapeOf(site, type, i);
      for (let j = 0; j < shape.length; j++) {
        const field = shape[j]!;
        setOwn(object, type.fields[field]!.name, columns[field]![taken[field]!++]);
      }
      return object;
    });
  }

  /** What makes the next rows of a site, some at a time. */
  private nextOf(site: Site): (count: number) => unknown[] {
    const { type, n } = site;
    let at = 0;
    if (type.code === T.OPTION && n > 0) {
      const present = site.data as Uint8Array;
      const next = this.nextOf(site.inside[0]!);
      return (count) => {
        const bits = present.subarray(at, (at += count));
        return optionsOf(count, bits, next(ones(bits)));
      };
    }
    if (type.code === T.STRING && site.next !== undefined) return site.next as () => string[];
    const values = this.make(site);
    if (Array.isArray(values)) return (count) => values.slice(at, (at += count));
    return (count) => plainOf(values.subarray(at, (at += count)));
  }

  /** Rows of a map (see `emptyMap`). */
  private maps(site: Site, type: T.MapType, ordered: boolean): Values {
    const [keySite, valueSite] = site.inside as [Site, Site];
    const keys = plainOf(this.make(keySite));
    const values = plainOf(this.make(valueSite));
    const lengths = site.data as Int32Array;
    let at = 0;
    return rows(site.n, (i) => {
      const start = at;
      at += lengths[i]!;
      const map = fillMap(emptyMap(type, ordered, keys, start, at), keys, values, start, at);
      const rowAt = (j: number): number => start + j;
      const error = duplicateKey(keySite, at - start, rowAt);
      if (error !== undefined) throw inEntry(error, site, start);
      if (map !== undefined) return map;
      const entries: [unknown, unknown][] = [];
      for (let j = start; j < at; j++) entries.push([keys[j], values[j]]);
      return new V.Pairs(entries, ordered);
    });
  }
}

/**
 * What a row of a map becomes, still empty: an object if all its keys are strings, because a writer makes an ordered map of a
 * `Map` of such keys (F-45). A row without keys is an object if the type has strings among its keys.
 */
export function emptyMap(
  type: T.MapType,
  ordered: boolean,
  keys: ArrayLike<unknown>,
  start: number,
  end: number,
): Fields | Map<unknown, unknown> {
  if (ordered || !hasText(type.key, start < end)) return new Map();
  if (type.key.code !== T.STRING) {
    for (let j = start; j < end; j++) if (typeof keys[j] !== "string") return new Map();
  }
  return {};
}

/** Whether strings of JavaScript are among the values of a type of keys, or can be if it is a definition. */
function hasText(key: T.Type, defined: boolean): boolean {
  switch (key.code) {
    case T.STRING:
      return true;
    case T.OPTION:
      return hasText(key.item, defined);
    case T.UNION:
      return !key.named && key.variants.some((variant) => hasText(variant.type, defined));
    case T.LOGICAL:
      return key.kind === WTF8;
    default:
      return defined && (key.code === T.DEF || key.code === T.SHARED);
  }
}

/** Fills a map with entries; undefined if JavaScript takes two keys for one. */
export function fillMap(
  map: Fields | Map<unknown, unknown>,
  keys: ArrayLike<unknown>,
  values: ArrayLike<unknown>,
  start: number,
  end: number,
): Fields | Map<unknown, unknown> | undefined {
  if (map instanceof Map) {
    for (let j = start; j < end; j++) {
      // A Map takes -0 for 0.
      if (Object.is(keys[j], -0)) return undefined;
      map.set(keys[j], values[j]);
    }
    return map.size === end - start ? map : undefined;
  }
  for (let j = start; j < end; j++) setOwn(map, keys[j] as string, values[j]);
  return map;
}

/** An array of n values, each made by its row. */
export function rows<R>(n: number, make: (row: number) => R): R[] {
  const made: R[] = new Array(n);
  for (let i = 0; i < n; i++) made[i] = make(i);
  return made;
}

const ARRAYS: { readonly [code: number]: new (buffer: ArrayBuffer) => unknown } = {
  [T.U16]: Uint16Array,
  [T.U32]: Uint32Array,
  [T.U64]: BigUint64Array,
  [T.I8]: Int8Array,
  [T.I16]: Int16Array,
  [T.I32]: Int32Array,
  [T.I64]: BigInt64Array,
  [T.F32]: Float32Array,
  [T.F64]: Float64Array,
};

/** The roots of a block, in the types of the program's schema if it has one. */
export function rootsOf(block: Block, writer: T.Schema, options: ReadOptions): Values {
  const making = new Making(options);
  try {
    const roots = options.schema === undefined ? making.roots(block) : options.schema.roots(writer, block, making);
    const { validate } = options;
    return validate === undefined ? roots : Array.from(roots, (value) => validated(value, validate));
  } catch (error) {
    throw withPlace(error, block);
  }
}

/** A tensor: a typed array if it has one dimension and JavaScript has one of its elements. */
export function tensorOf(element: T.Type, shape: readonly V.Integer[], bytes: Uint8Array, isRow: boolean): unknown {
  const Rows = ARRAYS[element.code];
  if (Rows !== undefined && shape.length === 1 && isRow) return new Rows(bytes.buffer as ArrayBuffer);
  return new V.Tensor(element, shape, bytes, isRow ? "row" : "column");
}

function tensors(site: Site, element: T.Type): Values {
  const width = valueWidth(element);
  const orders = site.data as Uint8Array;
  let at = 0;
  return rows(site.n, (i) => {
    const shape = site.dimensions![i]!;
    // A copy by the constructor, whose memory need not be cleared first, takes 0.8 of the time of `slice` in Node.
    const bytes = new Uint8Array(site.elements!.subarray(at, (at += volume(shape) * width)));
    return tensorOf(element, shape, bytes, orders[i] === 0);
  });
}

/** Makes the rows of all definitions: those first that need no other, and those in cycles together. */
function makeDefinitions(sites: readonly Site[], making: Making): void {
  const { order } = orderOf(sites);
  for (const i of order) making.definitions.set(i, making.make(sites[i]!));
  if (order.length < sites.length) makeCyclic(sites, making);
}
