/** Infers the schema of values, and gathers the rows of its columns (chapter 11). Nothing recurses on the depth of data. */

import { HoldallError } from "../error.js";
import { asBytes } from "../kernel/input.js";
import * as codes from "../schema/types.js";
import { formOf } from "./forms.js";
import { Seen } from "./identity.js";
import { MAP, variantOfMapping } from "./mappings.js";
import { addNumberLists } from "./number_lists.js";
import { MOST_FIELDS, RowTypes } from "./row_types.js";
import { addScalar, addScalars, boolsOf, floatsOf, intsOf, isScalar, textsOf } from "./scalars.js";
import {
  type Keys,
  ListRows,
  pushReference,
  type RowKind,
  type Rows,
  type RowType,
  type RowVariant,
  ScalarVariant,
  type Shape,
  type Site,
} from "./sites.js";

/** Their values stay in the cache of the processor. */
const ROWS_AT_ONCE = 64;

const LIST: RowKind = { kind: "list", key: "list" };
const EMPTY_OBJECT: RowKind = { kind: "extension", key: "e:js.empty_object", name: "js.empty_object" };
const UNDEFINED: RowKind = { kind: "extension", key: "e:js.undefined", name: "js.undefined" };

/** The values of an open row that are still to be walked. */
class OpenContainer {
  items: ArrayLike<unknown> = [];
  index = 0;
  end = 0;
  /** Where the row's values begin in `items`. */
  offset = 0;
  /** The site of value i is `sites[(i - offset) & mask]`. */
  sites: readonly Site[] = [];
  mask = 0;
  /** The names of the values, for paths; and a struct's, whose fields are added when their values are reached (F-53). */
  keys: readonly string[] | undefined = undefined;
  struct: RowType | undefined = undefined;
  row = 0;
}

/** What the shredder does with values. */
export interface ShredOptions {
  /** Whether objects keep their identity. */
  readonly references: boolean;
  /** Whether the members of sets have the order of the format; orders them. */
  readonly order: ((members: unknown[], open: object) => unknown[]) | undefined;
  /** The most values inside each other. */
  readonly depth: number;
  /** Whether bytes are copied, because the program can change them before they are written. */
  readonly copies: boolean;
}

export class Shredder {
  readonly types = new RowTypes();
  roots = 0;
  private readonly frames: OpenContainer[] = [];
  private depth = 0;
  /** The values of open rows, and where they end. */
  private readonly values: unknown[] = [];
  private top = 0;
  /** The objects of the current root. */
  private seen!: Seen;
  private readonly grounded = new WeakSet<object>();
  /** Whether `for in` lists an object's own properties alone. */
  private ownOnly = true;

  constructor(readonly options: ShredOptions) {}

  /** Takes one root. */
  take(value: unknown): void {
    this.seen = Seen.take();
    this.ownOnly = true;
    for (const _ in Object.prototype) this.ownOnly = false;
    this.roots++;
    const frame = this.open([value], 0, 1, [this.types.root], -1);
    frame.keys = undefined;
    try {
      this.run();
    } catch (error) {
      if (error instanceof HoldallError && error.path === undefined && error.offset === undefined) {
        const { code, expected, got, help } = error;
        throw new HoldallError(code, { path: this.path(), expected, got, help });
      }
      throw error;
    } finally {
      // F-87: roots are separate.
      this.seen.giveBack();
    }
    // The values are not kept in memory.
    if (this.values.length > 1024) this.values.length = 0;
    else this.values.fill(undefined);
  }

  private run(): void {
    while (this.depth > 0) {
      const frame = this.frames[this.depth - 1]!;
      if (frame.index === frame.end) this.close(frame);
      else if (frame.struct !== undefined) this.structField(frame);
      else this.walk(frame);
    }
  }

  private walk(frame: OpenContainer): void {
    const { items, end, offset, sites, mask } = frame;
    const { depth } = this;
    const { references } = this.options;
    let i = frame.index;
    while (i < end) {
      if (mask === 0) {
        const site = sites[0]!;
        i = this.records(site, items, addScalars(site, items, i, end, 1), end);
        if (depth < this.options.depth) i = addNumberLists(site, items, i, end, references ? this.seen : undefined);
        if (i === end) break;
      }
      const site = sites[(i - offset) & mask]!;
      const value = items[i++];
      if (!addScalar(site, value)) {
        frame.index = i;
        this.begin(site, value);
        if (this.depth !== depth) return;
      }
    }
    frame.index = i;
  }

  /** Opens a row whose values are in a list. */
  open(items: ArrayLike<unknown>, offset: number, end: number, sites: readonly Site[], mask: number): OpenContainer {
    let frame = this.frames[this.depth];
    if (frame === undefined) this.frames.push((frame = new OpenContainer()));
    if (this.depth >= this.options.depth) {
      throw new HoldallError("limit_depth", { expected: `at most ${this.options.depth} levels`, got: "more" });
    }
    this.depth++;
    frame.items = items;
    frame.index = frame.offset = offset;
    frame.end = end;
    frame.sites = sites;
    frame.mask = mask;
    frame.keys = undefined;
    frame.struct = undefined;
    return frame;
  }

  private close(frame: OpenContainer): void {
    if (frame.struct !== undefined) {
      const { struct, row, keys } = frame;
      struct.numbers.rows[row] = struct.shapeOf(keys!).number;
    }
    if (frame.items === this.values) this.top = frame.offset;
    frame.items = [];
    this.depth--;
  }

  // The types of scalars that forms use.

  null(site: Site): void {
    site.pushNull();
  }

  int(site: Site, value: number | bigint): void {
    const variant = intsOf(site);
    site.mark(variant);
    if (typeof value === "number") variant.rows.push(value + 0);
    else variant.rows.pushBig(value);
  }

  float(site: Site, value: number | bigint): void {
    const variant = floatsOf(site);
    site.mark(variant);
    if (typeof value === "number") variant.rows.push(value);
    else variant.rows.pushBits(value);
  }

  text(site: Site, value: string): void {
    const variant = textsOf(site);
    site.mark(variant);
    variant.rows.push(value);
  }

  bool(site: Site, value: boolean): void {
    const variant = boolsOf(site);
    site.mark(variant);
    variant.rows.push(value ? 1 : 0);
  }

  bytes(site: Site, value: Uint8Array): void {
    this.exact<ListRows<Uint8Array>>(site, "bytes", codes.BYTES, 0, ListRows).push(this.kept(value));
  }

  /** Bytes that do not change until they are written. */
  kept(bytes: Uint8Array): Uint8Array {
    return this.options.copies ? Uint8Array.from(bytes) : asBytes(bytes);
  }

  /** The rows of a scalar type, to which the caller adds one. */
  exact<R extends Rows>(site: Site, key: string, code: number, size: number, make: new () => R): R {
    let variant = site.find(key) as ScalarVariant<R> | undefined;
    if (variant === undefined) site.add((variant = new ScalarVariant(key, code, size, new make())));
    site.mark(variant);
    return variant.rows;
  }

  /** Begins a row value, or what else is no scalar of JavaScript. */
  private begin(site: Site, value: unknown): void {
    if (typeof value === "object" && value !== null) {
      if (Array.isArray(value)) {
        const prototype = Object.getPrototypeOf(value);
        if (prototype === Array.prototype || formOf(value, prototype) === undefined) {
          if (!this.refer(site, value)) this.list(site, value);
          return;
        }
      }
      const prototype = Object.getPrototypeOf(value);
      if (prototype === Object.prototype || prototype === null) {
        if (!this.refer(site, value)) this.mapping(site, value as Readonly<Record<string, unknown>>);
        return;
      }
      const form = formOf(value, prototype);
      if (form === undefined) throw refused(value);
      if (form.hasIdentity?.(value as never) === false || !this.refer(site, value))
        form.write(this, site, value as never);
    } else if (value === undefined) {
      this.null(this.row(site, UNDEFINED).inside[0]!);
    } else if (typeof value === "string") {
      formOf(value, String.prototype)!.write(this, site, value as never);
    } else {
      throw refused(value);
    }
  }

  /** Writes a reference to the row of an object that occurred before (F-64); false of any other. */
  private refer(site: Site, value: object): boolean {
    if (!this.options.references) return false;
    const { seen } = this;
    const number = seen.add(value);
    if (number < 0) return false;
    const type = seen.typeOf(number);
    if (type === undefined) throw refused(value, "a value that is nothing but itself");
    if (site.isStorage || type.madeAt?.isStorage) throw refused(value, "storage that occurs twice");
    this.reference(site, type, seen.rowOf(number));
    return true;
  }

  private reference(site: Site, type: RowType, row: number): void {
    let variant = site.variants.find((each) => each.type === type) as RowVariant | undefined;
    // F-65: it is added at the end of the list if the site lacks it.
    if (variant === undefined) site.add((variant = this.types.bind(type)));
    site.mark(variant);
    pushReference(variant, row + 1);
    variant.count++;
    type.isShared = true;
  }

  /** Begins a row at a site: of the object that was seen last, if it has an identity. */
  row(site: Site, what: RowKind, number?: number): RowType {
    return this.rowOf(site, this.types.variant(site, what), number);
  }

  private rowOf(site: Site, variant: RowVariant, number?: number): RowType {
    const { type } = variant;
    site.mark(variant);
    if (variant.references !== undefined) pushReference(variant, 0);
    variant.count++;
    if (number !== undefined) type.numbers.push(number);
    this.seen.begin(type, type.count++);
    return type;
  }

  /** A list's row, whose items are walked later. */
  list(site: Site, items: ArrayLike<unknown>): void {
    const { length } = items;
    const { inside } = this.rowOf(site, site.list ?? this.types.variant(site, LIST), length);
    // Scalars need no frame.
    const at = this.depth < this.options.depth ? addScalars(inside[0]!, items, 0, length, 1) : 0;
    if (at < length) this.open(items, 0, length, inside, 0).index = at;
  }

  /** A map's row. Entries are keys and values in turn. */
  map(site: Site, entries: readonly unknown[]): void {
    const type = this.row(site, MAP, entries.length / 2);
    this.open(entries, 0, entries.length, type.inside, 1);
  }

  /** A row with one value at each of its sites. */
  fields(site: Site, what: RowKind, values: readonly unknown[]): void {
    const type = this.row(site, what);
    this.open(values, 0, values.length, type.inside, what.kind === "array" ? 0 : -1);
  }

  /** A row of a named union. */
  variant(site: Site, what: RowKind, name: string, value: unknown): void {
    const type = this.row(site, what);
    if (!type.names.has(name)) this.types.addName(type, name);
    const number = type.names.get(name)!;
    type.numbers.push(number);
    const frame = this.open([value], 0, 1, [type.inside[number]!], -1);
    frame.keys = [`<${name}>`];
  }

  /** A row of the site's record or map (F-49). An empty object among rows of a map that are no objects is marked as one. */
  mapping(site: Site, object: Readonly<Record<string, unknown>>, marked = true): void {
    const { values } = this;
    const base = this.top;
    let variant = site.record;
    let shape: Shape | undefined;
    let end = base;
    if (variant !== undefined && this.ownOnly) {
      let at: Keys | undefined = variant.type.start;
      for (const key in object) {
        at = at.after(key);
        if (at === undefined) break;
        values[end++] = object[key];
      }
      shape = at?.shape;
      if (shape !== undefined) variant.type.latest = shape;
    }
    if (shape === undefined) {
      const keys = Object.keys(object);
      for (const key of keys) {
        if (key.isWellFormed()) continue;
        // It is a map.
        const entries = keys.flatMap((key) => [key, object[key]]);
        this.map(site, entries);
        return;
      }
      variant = variantOfMapping(this.types, site, keys);
      const { type } = variant;
      if (type.kind === "map") {
        if (marked && keys.length === 0 && !site.isStorage && type.inside[0]!.text === undefined) {
          this.null(this.row(site, EMPTY_OBJECT).inside[0]!);
          return;
        }
        this.rowOf(site, variant, keys.length);
        end = base;
        for (const key of keys) {
          values[end++] = key;
          values[end++] = object[key];
        }
        this.top = end;
        this.open(values, base, end, type.inside, 1);
        return;
      }
      // F-49: new keys become new fields, at the end.
      for (const key of keys) if (!type.names.has(key)) this.types.addName(type, key);
      shape = type.shapeOf(keys);
      end = base;
      for (const key of keys) values[end++] = object[key];
    }
    this.rowOf(site, variant!, shape.number);
    const { sites } = shape;
    for (let at = base; at < end; at++) {
      if (!addScalar(sites[at - base]!, values[at])) {
        this.top = end;
        const frame = this.open(values, base, end, sites, -1);
        frame.index = at;
        frame.keys = shape.keys;
        shape.isFlat = false;
        return;
      }
    }
  }

  /**
   * Adds objects of a list, as long as they have the shape of the row before and scalars alone, field by field: so each
   * column is found once for many rows. The place of the first other item, or `end`.
   */
  private records(site: Site, items: ArrayLike<unknown>, start: number, end: number): number {
    const variant = site.record;
    const shape = variant?.type.latest;
    if (variant === undefined || !shape?.isFlat || !this.ownOnly) return start;
    const { keys, sites } = shape;
    const count = keys.length;
    const { values, seen, top } = this;
    for (let at = start; at < end; ) {
      let n = 0;
      let next = top;
      const most = Math.min(ROWS_AT_ONCE, end - at);
      while (n < most && this.isFlat(items[at + n], keys, next)) {
        const object = items[at + n] as object;
        // A repeated object is found again, by `begin`.
        if (this.options.references && seen.add(object) >= 0) break;
        seen.begin(variant.type, variant.type.count + n);
        next += count;
        n++;
      }
      if (n > 0) {
        site.markRun(variant, n);
        variant.references?.pushRun(0, n);
        variant.count += n;
        variant.type.count += n;
        variant.type.numbers.pushRun(shape.number, n);
        for (let i = 0; i < count; i++) addScalars(sites[i]!, values, top + i, next, count);
      }
      at += n;
      if (n < most) return at;
    }
    return end;
  }

  /** Whether a value is an object of these keys with scalars alone, which it puts among the values. */
  private isFlat(object: unknown, keys: readonly string[], start: number): boolean {
    if (typeof object !== "object" || object === null) return false;
    const prototype = Object.getPrototypeOf(object);
    if (prototype !== Object.prototype && prototype !== null) return false;
    const { values } = this;
    const count = keys.length;
    let i = 0;
    for (const key in object) {
      if (i === count || key !== keys[i]) return false;
      const value = (object as { [key: string]: unknown })[key];
      if (!isScalar(value)) return false;
      values[start + i++] = value;
    }
    return i === count;
  }

  /** An object of a class: a row of the message's one struct of that name. */
  struct(site: Site, name: string, fields: Readonly<Record<string, unknown>>): void {
    const keys = Object.keys(fields);
    for (const key of [name, ...keys]) {
      if (!key.isWellFormed()) throw refused(fields, "a name with a lone surrogate");
    }
    // Its shape is known when it ends.
    const type = this.row(site, { kind: "struct", key: `s:${name}`, name }, 0);
    const frame = this.open(
      keys.map((key) => fields[key]),
      0,
      keys.length,
      [],
      -1,
    );
    frame.keys = keys;
    frame.struct = type;
    frame.row = type.count - 1;
  }

  private structField(frame: OpenContainer): void {
    const type = frame.struct!;
    const name = frame.keys![frame.index]!;
    if (!type.names.has(name)) {
      // F-52.
      if (type.names.size === MOST_FIELDS) throw refused(type.what.name, "a struct of more than 256 fields");
      this.types.addName(type, name);
    }
    const site = type.inside[type.names.get(name)!]!;
    const value = frame.items[frame.index++];
    if (!addScalar(site, value)) this.begin(site, value);
  }

  /** F-64: refuses a logical value or extension that is nothing but itself. */
  checkGrounded(value: object, inside: (value: object) => unknown): void {
    const passed = new Set<object>();
    let at: unknown = value;
    while (typeof at === "object" && at !== null && !this.grounded.has(at)) {
      if (passed.has(at)) throw refused(value, "a value that is nothing but itself");
      passed.add(at);
      at = inside(at);
    }
    for (const each of passed) this.grounded.add(each);
  }

  /** The path of the value that is walked now (F-41). */
  private path(): string {
    let path = "$";
    for (let i = 1; i < this.depth; i++) {
      const frame = this.frames[i]!;
      const at = Math.max(frame.index - 1 - frame.offset, 0);
      const key = frame.keys?.[at];
      if (key?.startsWith("<")) path += key;
      else if (key !== undefined) path += /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
      else if (frame.mask === 1) path += at % 2 === 0 ? `[${at / 2}].key` : `[${(at - 1) / 2}]`;
      else path += `[${at}]`;
    }
    return path;
  }
}

/** The error of a value that cannot be written. */
export function refused(value: unknown, got?: string): HoldallError {
  let help: string | undefined;
  if (got === undefined) {
    if (typeof value === "object" && value !== null) {
      const type: unknown = value.constructor;
      got = `an object of ${typeof type === "function" && type.name ? type.name : "an unknown class"}`;
      help = "register the class, or convert the object first";
    } else {
      got = `a ${typeof value}`;
    }
  }
  return new HoldallError("unsupported_value", { expected: "a value that can be written", got, help });
}
