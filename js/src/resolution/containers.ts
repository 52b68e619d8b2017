/** Values of the reader's types that others are read into (F-78, F-79). */

import { fillSet, notApart } from "../block/apart.js";
import { setOwn } from "../block/objects.js";
import type { Site } from "../block/read.js";
import { emptyMap, fillMap, tensorOf } from "../block/values.js";
import { HoldallError } from "../error.js";
import * as K from "../schema/logical.js";
import * as T from "../schema/types.js";
import * as V from "../values.js";
import * as N from "./numbers.js";
import { FIELDS_RULE, lineRule, type Pair } from "./pairs.js";
import * as P from "./places.js";
import type { Rows } from "./rows.js";
import { siteOf } from "./sites.js";

/** A row of a site, and the pair by which it is read. */
export interface Part {
  readonly pair: Pair;
  readonly site: Site;
  readonly row: number;
}

/** A value, and what is to be read into it. */
export interface Container {
  readonly size: number;
  readonly parts: unknown[];
  /** Whether floats among the parts are their bits. */
  readonly raw?: boolean;
  part(i: number): Part;
  /** The step of the path to a part. */
  step(i: number): string;
  /** The value, when all parts are there. */
  finish(): unknown;
  /** For values inside themselves: the value without its parts, which `fill` adds. */
  empty?(): unknown;
  fill?(value: unknown): void;
}

/** A container on the stack. */
export interface OpenContainer {
  readonly container: Container;
  next: number;
  shell: unknown;
  readonly shared: { frame: OpenContainer | undefined; value: unknown }[];
}

type Fields = { [key: string]: unknown };

export class Containers {
  constructor(private readonly rows: Rows) {}

  /** The container of a row; undefined if the line needs none. */
  make(pair: Pair, site: Site, row: number, ordered: boolean): Container | undefined {
    switch (pair.line) {
      case "items":
        return this.items(pair, site, row);
      case "tensors":
        return this.tensor(pair, site, row);
      case "fields":
        return this.fields(pair, site, row);
      case "into_map":
        return this.intoMap(pair, site, row, ordered);
      case "maps":
        return this.map(pair, site, row, ordered);
      case "variants":
        return this.variant(pair, site, row);
      case "extensions":
        return this.extension(pair, site.inside[0]!, row);
      case "into_extension":
        return this.extension(pair, site, row);
      case "logicals":
        return this.logical(pair, ...this.rows.scaled(pair, site.inside[0]!, row));
      case "into_logical":
        return this.logical(pair, site, row);
      default:
        return undefined;
    }
  }

  private items(pair: Pair, site: Site, row: number): Container {
    const { sites } = this.rows;
    const { type: w } = site;
    const { type: r } = pair.reader;
    let size: number;
    let place: (i: number) => readonly [Site, number];
    if (w.code === T.TUPLE) {
      size = w.items.length;
      place = (i) => [site.inside[i]!, sites.item(site, i, row)];
    } else if (w.code === T.BYTES || w.code === T.FIXED) {
      const bytes =
        w.code === T.BYTES
          ? (site.data as Uint8Array[])[row]!
          : (site.data as Uint8Array).subarray(row * (w as T.FixedType).size, (row + 1) * (w as T.FixedType).size);
      const made = siteOf(P.U8_TYPE, bytes.length, bytes);
      size = bytes.length;
      place = (i) => [made, i];
    } else {
      size = sites.count(site, row);
      const start = sites.start(site, row);
      if (w.code !== T.TENSOR) place = (i) => [site.inside[0]!, sites.item(site, 0, start + i)];
      else {
        const elements = sites.expand(site);
        place = (i) => [elements, start + i];
      }
    }
    const fixed = P.sequenceSize(pair.reader);
    if ((w.code === T.TENSOR && site.dimensions![row]!.length !== 1) || (fixed !== undefined && fixed !== size)) {
      throw this.rows.error("unconvertible", pair, lineRule("items"));
    }
    const { children } = pair;
    const common = {
      size,
      part: (i: number): Part => {
        const [at, inner] = place(i);
        return { pair: children[children.length > 1 ? i : 0]![1], site: at, row: inner };
      },
      step: (i: number) => `[${i}]`,
    };
    if (r.code === T.LIST || r.code === T.ARRAY || r.code === T.TUPLE) {
      const parts: unknown[] = r.code === T.TUPLE ? new V.Tuple() : new Array(size);
      return { ...common, parts, finish: () => parts, empty: () => parts };
    }
    const parts: unknown[] = new Array(size);
    if (r.code !== T.TENSOR) return { ...common, parts, finish: () => Uint8Array.from(parts as number[], Number) };
    const element = P.inside(pair.reader, r.item).type;
    return {
      ...common,
      parts,
      raw: true,
      finish: () => tensorOf(element, [size], N.packScalars(element.code, parts), true),
    };
  }

  private tensor(pair: Pair, site: Site, row: number): Container {
    const { sites } = this.rows;
    const shape = site.dimensions![row]!;
    const isRow = (site.data as ArrayLike<number>)[row] === 0;
    const element = elementOf(pair);
    if ((site.type as T.ItemType).item.code === element.code) {
      const bytes = sites.elements(site, row);
      return { size: 0, parts: [], part: none, step: () => "", finish: () => tensorOf(element, shape, bytes, isRow) };
    }
    const elements = sites.expand(site);
    const start = sites.start(site, row);
    const size = sites.count(site, row);
    const parts: unknown[] = new Array(size);
    return {
      size,
      parts,
      raw: true,
      part: (i) => ({ pair: pair.child, site: elements, row: start + i }),
      step: (i) => `[${i}]`,
      finish: () => tensorOf(element, shape, N.packScalars(element.code, parts), isRow),
    };
  }

  /** The fields of a row, or the entries of a map with string keys, by name in their order; and the names that occur twice. */
  private named(pair: Pair, site: Site, row: number): [Map<string, readonly [Site, number]>, Set<string>] {
    const { sites } = this.rows;
    const { type } = site;
    const has = new Map<string, readonly [Site, number]>();
    const twice = new Set<string>();
    if (type.code === T.RECORD || type.code === T.STRUCT) {
      const { numbers, rowOf } = sites.fields(site, type, row);
      for (let i = 0; i < numbers.length; i++) {
        has.set(type.fields[numbers[i]!]!.name, [site.inside[numbers[i]!]!, rowOf(i)]);
      }
      return [has, twice];
    }
    const [keys, values] = site.inside as [Site, Site];
    const start = sites.start(site, row);
    for (let at = start; at < start + sites.count(site, row); at++) {
      const [keySite, keyRow] = this.rows.through(keys, sites.item(site, 0, at));
      if (keySite.unknown) throw this.rows.error("unconvertible", pair, "F-77");
      const name = (keySite.data as string[])[keyRow]!;
      if (has.has(name)) twice.add(name);
      has.set(name, [values, sites.item(site, 1, at)]);
    }
    return [has, twice];
  }

  /** F-79. */
  private fields(pair: Pair, site: Site, row: number): Container {
    const r = pair.reader.type as T.RecordType;
    const [has, twice] = this.named(pair, site, row);
    /** By r's field: what is read, or the value. */
    let made: [name: string, part: Part | undefined, value: unknown, source: string][] = [];
    for (const { name, sources, fallback, leavesOut } of pair.fields) {
      const source = sources.find(([each]) => has.has(each));
      if (source !== undefined) {
        // F-35: keys in definitions are not compared when they are read.
        if (twice.has(source[0])) throw this.rows.error("duplicate_key", pair, FIELDS_RULE, P.fieldStep(source[0]));
        const [at, inner] = has.get(source[0])!;
        made.push([name, { pair: source[1], site: at, row: inner }, undefined, source[0]]);
      } else if (fallback !== undefined) {
        const { value } = fallback;
        made.push([name, undefined, typeof value === "function" ? value() : value, ""]);
      } else if (!leavesOut) throw this.rows.error("missing_field", pair, FIELDS_RULE, P.fieldStep(name));
    }
    if (this.rows.changes.unknownFields === "error" && site.type.code === T.MAP) {
      const known = new Set(pair.fields.flatMap(({ sources }) => sources.map(([name]) => name)));
      for (const name of has.keys()) {
        if (!known.has(name)) throw this.rows.error("unknown_field", pair, FIELDS_RULE, P.fieldStep(name));
      }
    }
    if (r.form !== T.FORM_ALL) {
      // Where r's rows have an order of their own, it is that of w's row.
      const taken = new Map(made.flatMap((each) => (each[1] === undefined ? [] : [[each[3], each] as const])));
      const first = [...has.keys()].map((name) => taken.get(name)).filter((each) => each !== undefined);
      made = [...first, ...made.filter((each) => each[1] === undefined)];
    }
    const read = made.filter((each) => each[1] !== undefined);
    const parts: unknown[] = new Array(read.length);
    const values = (): unknown[] => {
      let next = 0;
      return made.map((each) => (each[1] === undefined ? each[2] : parts[next++]));
    };
    const names = made.map(([name]) => name);
    return {
      size: read.length,
      parts,
      part: (i) => read[i]![1]!,
      step: (i) => P.fieldStep(read[i]![0]),
      finish: () => this.record(r, names, values()),
      empty: () => {
        this.refuseDecode(r);
        return r.code === T.STRUCT ? this.rows.making.struct(r.name, {}) : {};
      },
      fill: (value) => {
        const fields = value instanceof V.Record ? value.fields : (value as Fields);
        values().forEach((each, i) => {
          setOwn(fields, names[i]!, each);
        });
      },
    };
  }

  /** A row of a record or struct. */
  record(r: T.RecordType, names: readonly string[], values: readonly unknown[]): unknown {
    const fields: Fields = {};
    names.forEach((name, i) => {
      setOwn(fields, name, values[i]);
    });
    return r.code === T.STRUCT ? this.rows.making.struct(r.name, fields) : fields;
  }

  /** A class with `decode` needs all fields at once. */
  private refuseDecode({ code, name }: T.RecordType | T.ExtensionType): void {
    if (code === T.RECORD || this.rows.making.classOf(name)?.registration.decode === undefined) return;
    throw new HoldallError("unrepresentable", {
      got: `an object of ${name} that contains itself`,
      help: "register the class without `decode`, which needs all fields at once",
    });
  }

  private intoMap(pair: Pair, site: Site, row: number, ordered: boolean): Container {
    const w = site.type as T.RecordType;
    const { numbers, rowOf } = this.rows.sites.fields(site, w, row);
    const names = Array.from(numbers, (number) => w.fields[number]!.name);
    const parts: unknown[] = new Array(names.length);
    return {
      size: names.length,
      parts,
      part: (i) => ({ pair: pair.children[numbers[i]!]![1], site: site.inside[numbers[i]!]!, row: rowOf(i) }),
      step: (i) => P.fieldStep(names[i]!),
      ...mapOf(
        pair,
        ordered,
        () => names,
        () => [names, parts],
      ),
    };
  }

  private map(pair: Pair, site: Site, row: number, ordered: boolean): Container {
    const { rows } = this;
    const { sites } = rows;
    const [key, value] = pair.children.map(([, child]) => child) as [Pair, Pair];
    const start = sites.start(site, row);
    const count = sites.count(site, row);
    const parts: unknown[] = new Array(2 * count);
    const part = (i: number): Part => {
      const inside = i % 2;
      const at = sites.item(site, inside, start + (i - inside) / 2);
      return { pair: inside === 0 ? key : value, site: site.inside[inside]!, row: at };
    };
    // Keys of one type can't become equal.
    const isCompared = P.isComparedKey(key.reader) && !P.equalTypes(key.writer, key.reader);
    const known = (): unknown[] =>
      Array.from({ length: count }, (_, i) => {
        const from = part(2 * i);
        return rows.isText(from.site, from.row) ? "" : undefined;
      });
    const entries = (): [unknown[], unknown[]] => {
      const seen = new Set<string>();
      for (let i = 0; isCompared && i < count; i++) {
        const from = part(2 * i);
        const id = rows.keyOf(from.pair, from.site, from.row);
        if (seen.has(id)) throw rows.error("duplicate_key", pair, lineRule("maps"), `[${i}].key`);
        seen.add(id);
      }
      return [parts.filter((_, i) => i % 2 === 0), parts.filter((_, i) => i % 2 === 1)];
    };
    return {
      size: 2 * count,
      parts,
      part,
      step: (i) => (i % 2 === 0 ? `[${i / 2}].key` : `[${(i - 1) / 2}]`),
      ...mapOf(pair, ordered, known, entries),
    };
  }

  private variant(pair: Pair, site: Site, row: number): Container {
    const { rows } = this;
    const number = (pair.writer.type as T.UnionType).variants.findIndex(
      (each) => each.name === rows.variantName(site, row),
    );
    const [step, child] = pair.children[number]!;
    if (child.failed) throw rows.error("unconvertible", child, lineRule("variants"), step);
    const name = pair.variantNames[number]!;
    const parts: unknown[] = [null];
    return {
      size: child.line === "skipped" ? 0 : 1,
      parts,
      part: () => ({
        pair: child,
        site: site.inside[rows.sites.variant(site, row)]!,
        row: rows.sites.inner(site, row),
      }),
      step: () => step,
      finish: () => new V.Variant(name, parts[0]),
      empty: () => new V.Variant(name, null),
      fill: (value) => Object.assign(value as object, { value: parts[0] }),
    };
  }

  /** A value around another one, which has no step in paths. */
  private around(pair: Pair, site: Site, row: number, of: Around): Container {
    const parts: unknown[] = [null];
    return {
      size: 1,
      parts,
      part: () => ({ pair: pair.child, site, row }),
      step: () => "",
      finish: () => of.finish(parts[0]),
      empty: of.empty,
      fill: (value) => of.fill(value as object, parts[0]),
    };
  }

  private extension(pair: Pair, site: Site, row: number): Container {
    const r = pair.reader.type as T.ExtensionType;
    return this.around(pair, site, row, {
      finish: (value) => this.rows.making.extension(r.name, value),
      empty: () => {
        this.refuseDecode(r);
        return new V.Extension(r.name, null);
      },
      fill: (extension, value) => Object.assign(extension, { value }),
    });
  }

  private logical(pair: Pair, site: Site, row: number): Container {
    const r = pair.reader.type as T.LogicalType;
    return this.around(pair, site, row, {
      finish: (storage) => this.rows.making.logical(r, storage),
      empty: () => {
        if (r.kind === K.SET) return new Set();
        if (r.kind === K.FROZEN_SET) return new V.FrozenSet();
        if (r.kind === K.LONG_TUPLE) return new V.Tuple();
        return r.kind >= T.LATER ? new V.Logical(r.kind, r.parameters, null) : undefined;
      },
      fill: (value, storage) => {
        if (value instanceof V.Logical) Object.assign(value, { storage });
        else if (value instanceof V.Tuple) for (const item of storage as unknown[]) value.push(item);
        else if (fillSet(value as Set<unknown>, storage as unknown[]) === undefined) throw notApart("members of a set");
      },
    });
  }
}

/** How a value is made of the one inside it. */
interface Around {
  finish(inside: unknown): unknown;
  empty(): unknown;
  fill(value: object, inside: unknown): void;
}

function none(): Part {
  throw new TypeError("a container without parts");
}

/** The reader's type of the elements of a tensor. */
function elementOf(pair: Pair): T.Type {
  return pair.child.reader.type;
}

/** How the value of a map is made of its keys and values. */
function mapOf(
  pair: Pair,
  ordered: boolean,
  /** Its keys before all parts are there, as far as they are strings. */
  known: () => readonly unknown[],
  entries: () => readonly [readonly unknown[], readonly unknown[]],
): Pick<Container, "finish" | "empty" | "fill"> {
  const r = pair.reader.type as T.MapType;
  return {
    finish: () => {
      const [keys, values] = entries();
      const map = fillMap(emptyMap(r, ordered, keys, 0, keys.length), keys, values, 0, keys.length);
      return (
        map ??
        new V.Pairs(
          keys.map((key, i) => [key, values[i]]),
          ordered,
        )
      );
    },
    empty: () => {
      const keys = known();
      return emptyMap(r, ordered, keys, 0, keys.length);
    },
    fill: (value) => {
      const [keys, values] = entries();
      if (fillMap(value as Map<unknown, unknown>, keys, values, 0, keys.length) === undefined) {
        throw notApart("keys of a map");
      }
    },
  };
}
