/**
 * Rows of a writer's types as values of the reader's (F-78 to F-80). Nothing recurses on the depth of data: what is being
 * made is on a stack of frames.
 */

import type { Site } from "../block/read.js";
import { type Making, tensorOf } from "../block/values.js";
import type { FloatBits } from "../column/read/floats.js";
import { type ErrorCode, HoldallError } from "../error.js";
import * as K from "../schema/logical.js";
import * as T from "../schema/types.js";
import type { Integer } from "../values.js";
import * as V from "../values.js";
import { Containers, type OpenContainer, type Part } from "./containers.js";
import * as N from "./numbers.js";
import { type Changes, lineRule, type Pair, pairError } from "./pairs.js";
import { equalTypes, inside, NULL_TYPE, type Place } from "./places.js";
import { type SiteRows, siteOf } from "./sites.js";

/** The lines that an unknown value passes: the one for its type, and those that read w as the type inside r. */
const UNKNOWN_LINES: readonly string[] = ["unknown", "into_extension", "into_logical"];
const UNKNOWN_RULE = "F-77";

/** In place of a value whose frame is on the stack. */
export const PENDING: unique symbol = Symbol("holdall.pending");

/** A shared value, for one type of the reader's (F-80). */
interface Shared {
  readonly reader: Place;
  /** While the value is being made. */
  frame: OpenContainer | undefined;
  value: unknown;
}

const NULLS: Site = /* @__PURE__ */ siteOf(NULL_TYPE, 1, undefined);

export class Rows {
  private readonly containers: Containers;
  private readonly stack: OpenContainer[] = [];
  private readonly shared = new Map<string, Shared[]>();
  /** The code of the reader's type of the last value that is no container. */
  private leafCode = 0;

  constructor(
    readonly sites: SiteRows,
    readonly making: Making,
    readonly changes: Changes,
  ) {
    this.containers = new Containers(this);
  }

  /** The value of a row of the root. */
  read(pair: Pair, site: Site, row: number): unknown {
    const { stack } = this;
    const value = this.begin({ pair, site, row }, false);
    if (value !== PENDING) return value;
    for (;;) {
      const frame = stack[stack.length - 1]!;
      const { container } = frame;
      if (frame.next < container.size) {
        const i = frame.next++;
        const part = this.begin(container.part(i), container.raw ?? false);
        if (part !== PENDING) container.parts[i] = part;
        continue;
      }
      stack.pop();
      const made = this.finish(frame);
      const parent = stack[stack.length - 1];
      if (parent === undefined) return made;
      parent.container.parts[parent.next - 1] = made;
    }
  }

  private finish(frame: OpenContainer): unknown {
    const { container, shell } = frame;
    let value = shell;
    if (shell === undefined) value = container.finish();
    else container.fill?.(shell);
    for (const shared of frame.shared) {
      shared.value = value;
      shared.frame = undefined;
    }
    return value;
  }

  /** The place of the value that begins. */
  path(step = ""): string {
    return `$${this.stack.map(({ container, next }) => container.step(next - 1)).join("")}${step}`;
  }

  error(code: ErrorCode, pair: Pair, rule: string, step = ""): HoldallError {
    return pairError(code, pair, this.path(step), rule);
  }

  private unconvertible(pair: Pair, rule = lineRule(pair.line)): HoldallError {
    return this.error("unconvertible", pair, rule);
  }

  /** Follows the lines that only choose another pair. Returns the value, or PENDING with a frame on the stack. */
  private begin(part: Part, raw: boolean): unknown {
    const { sites } = this;
    let { pair, site, row } = part;
    let numbers: string[] | undefined;
    let ordered: Pair | undefined;
    let before: string = pair.line;
    chain: for (;;) {
      // Only lines 3 to 5 lead here to one that fails.
      if (pair.failed) throw this.unconvertible(pair, lineRule(before));
      const { type } = site;
      if (type.code === T.DEF || type.code === T.SHARED) {
        row = site.targets![row]!;
        if (!raw && sites.isReferenced(type.index, row)) (numbers ??= []).push(`${type.index},${row}`);
        site = sites.definition(type.index);
        continue;
      }
      if (type.code === T.PACKED) {
        site = sites.expand(site);
        continue;
      }
      before = pair.line;
      switch (pair.line) {
        case "options": {
          const inner = sites.inner(site, row);
          if (inner < 0) break chain;
          site = site.inside[0]!;
          row = inner;
          pair = pair.child;
          continue;
        }
        case "from_option": {
          const inner = sites.inner(site, row);
          pair = pair.children[inner < 0 ? 0 : 1]![1];
          site = inner < 0 ? NULLS : site.inside[0]!;
          row = Math.max(inner, 0);
          continue;
        }
        case "from_union": {
          const variant = sites.variant(site, row);
          row = sites.inner(site, row);
          site = site.inside[variant]!;
          pair = pair.children[variant]![1];
          continue;
        }
        case "onward":
          pair = pair.child;
          continue;
        case "some": {
          const [next, isPayload] = this.explicit(pair, site, row);
          pair = next;
          if (isPayload) {
            const variant = sites.variant(site, row);
            row = sites.inner(site, row);
            site = site.inside[variant]!;
          }
          continue;
        }
        case "into_union":
          // The first that can be read, whatever the value is.
          pair = pair.children.find(([, child]) => !child.failed)![1];
          continue;
        case "from_extension":
        case "from_logical":
          site = site.inside[0]!;
          pair = pair.child;
          continue;
        case "logicals":
        case "into_logical": {
          const r = pair.reader.type as T.LogicalType;
          // The map itself becomes the ordered one.
          if (r.kind !== K.ORDERED_MAP || r.storage.code !== T.MAP || site.unknown) break chain;
          ordered = pair;
          if (pair.line === "logicals") site = site.inside[0]!;
          pair = pair.child;
          continue;
        }
        default:
          break chain;
      }
    }
    const shared: Shared[] = [];
    if (numbers !== undefined) {
      const { reader } = ordered ?? pair;
      const found = this.found(numbers, reader);
      if (found !== undefined) return found.frame === undefined ? found.value : this.shellOf(found.frame);
      const made: Shared = { reader, frame: undefined, value: undefined };
      for (const number of numbers) {
        const list = this.shared.get(number);
        if (list === undefined) this.shared.set(number, [made]);
        else list.push(made);
      }
      shared.push(made);
    }
    // F-77: no type of r's knows it.
    if (site.unknown && !UNKNOWN_LINES.includes(pair.line)) throw this.unconvertible(pair, UNKNOWN_RULE);
    const container = this.containers.make(pair, site, row, ordered !== undefined);
    if (container === undefined) {
      const value = this.leaf(pair, site, row, raw);
      for (const each of shared) each.value = value;
      return value;
    }
    const frame: OpenContainer = { container, next: 0, shell: undefined, shared };
    for (const each of shared) each.frame = frame;
    this.stack.push(frame);
    return PENDING;
  }

  /** F-97: a present value, as the variant `Some` or another one; and whether the payload is it. */
  private explicit(pair: Pair, site: Site, row: number): [Pair, boolean] {
    const [some, ...others] = pair.children.map(([, child]) => child);
    if (pair.ownSome !== undefined && !pair.ownSome.failed) return [others[others.length - 1]!, false];
    if (this.variantName(site, row) === "Some") return [some!, true];
    if (others.length === 0) throw this.unconvertible(pair);
    return [others[0]!, false];
  }

  variantName(site: Site, row: number): string {
    return (site.type as T.UnionType).variants[this.sites.variant(site, row)]!.name;
  }

  private found(numbers: readonly string[], reader: Place): Shared | undefined {
    for (const number of numbers) {
      for (const each of this.shared.get(number) ?? []) if (equalTypes(each.reader, reader)) return each;
    }
    return undefined;
  }

  /** A value that is inside itself, still empty. */
  private shellOf(frame: OpenContainer): unknown {
    frame.shell ??= frame.container.empty?.();
    if (frame.shell === undefined) {
      throw new HoldallError("unrepresentable", { path: this.path(), got: "a value inside itself" });
    }
    return frame.shell;
  }

  /** A value without others that are read into it. With `raw`, a float is its bits. */
  private leaf(pair: Pair, site: Site, row: number, raw: boolean): unknown {
    const { type: w } = site;
    const { type: r } = pair.reader;
    this.leafCode = r.code;
    const data = site.data as unknown as ArrayLike<unknown>;
    switch (pair.line) {
      case "null":
      case "options":
        this.leafCode = T.NULL;
        return null;
      case "unknown":
        return V.UNKNOWN;
      case "same":
        return w.code === T.BOOL ? data[row] === 1 : data[row];
      case "bytes": {
        const size = (w as T.FixedType).size;
        const all = site.data as Uint8Array;
        const bytes = w.code === T.FIXED ? all.slice(row * size, (row + 1) * size) : (data[row] as Uint8Array).slice();
        if (r.code === T.FIXED && bytes.length !== r.size) throw this.unconvertible(pair);
        return bytes;
      }
      case "integers":
        return this.integer(pair, r.code, data[row] as Integer, raw);
      case "into_float": {
        const bits = N.floatFromInt(data[row] as Integer, r.code);
        if (bits === undefined) throw this.unconvertible(pair);
        return raw ? bits : N.floatOf(r.code, bits);
      }
      case "floats":
        return this.float(pair, w.code, site.data as FloatBits, row, raw);
      case "same_tensors": {
        const bytes = this.sites.elements(site, row);
        return tensorOf((r as T.ItemType).item, site.dimensions![row]!, bytes, data[row] === 0);
      }
      case "from_seconds":
        return this.fromSeconds(pair, site, row);
      case "into_seconds":
        return this.intoSeconds(pair, site, row);
    }
    throw new TypeError("a line without rows");
  }

  private integer(pair: Pair, code: number, value: Integer, raw = false): Integer {
    if (!N.inRange(value, code)) throw this.unconvertible(pair);
    return raw ? value : this.making.int(value);
  }

  private float(pair: Pair, w: number, data: FloatBits, row: number, raw: boolean): unknown {
    const { code } = pair.reader.type;
    if (!raw && w >= T.F32 && (code === w || code === T.F64)) return data[row];
    const bits = N.floatBits(w, data, row);
    const made = w === code ? bits : N.floatFromFloat(bits, w, code, this.changes.round ?? false);
    if (made === undefined) throw this.unconvertible(pair);
    return raw ? made : N.floatOf(code, made);
  }

  /** What equal keys of the reader's type alone share (F-35). */
  keyOf(pair: Pair, site: Site, row: number): string {
    const value = this.begin({ pair, site, row }, true);
    return `${this.leafCode}:${value instanceof Uint8Array ? value.join() : String(value)}`;
  }

  /** The row of a site behind definitions and packed. */
  through(site: Site, row: number): readonly [Site, number] {
    let at = site;
    let i = row;
    for (;;) {
      const { type } = at;
      if (type.code === T.PACKED) at = this.sites.expand(at);
      else if (type.code === T.DEF || type.code === T.SHARED) {
        i = at.targets![i]!;
        at = this.sites.definition(type.index);
      } else return [at, i];
    }
  }

  /** Whether a row is a string, or one with lone surrogates, behind options, unnamed unions and definitions. */
  isText(site: Site, row: number): boolean {
    let [at, i] = this.through(site, row);
    while (at.type.code === T.OPTION || (at.type.code === T.UNION && !at.type.named)) {
      const inside = at.inside[at.type.code === T.OPTION ? 0 : this.sites.variant(at, i)]!;
      const inner = this.sites.inner(at, i);
      if (inner < 0) return false;
      [at, i] = this.through(inside, inner);
    }
    return at.type.code === T.STRING || (at.type.code === T.LOGICAL && at.type.kind === K.WTF8);
  }

  /** A number behind definitions; undefined if it is unknown. */
  private numberAt(site: Site, row: number): Integer | undefined {
    const [at, i] = this.through(site, row);
    return at.unknown ? undefined : (at.data as ArrayLike<Integer>)[i]!;
  }

  private fromSeconds(pair: Pair, site: Site, row: number): unknown {
    const { fields } = site.type as T.RecordType;
    const [seconds, nanoseconds] = pair.seconds.map((name) => {
      const field = fields.findIndex((each) => each.name === name);
      const value = this.numberAt(site.inside[field]!, this.sites.item(site, field, row));
      if (value === undefined) throw this.unconvertible(pair, UNKNOWN_RULE);
      return BigInt(value);
    }) as [bigint, bigint];
    const all = seconds * 10n ** 9n + nanoseconds;
    const [unit] = pair.scale;
    if (nanoseconds < 0n || nanoseconds >= 10n ** 9n || all % unit !== 0n) throw this.unconvertible(pair);
    const r = pair.reader.type as T.LogicalType;
    return this.making.logical(r, this.placed(pair, r.storage, all / unit));
  }

  private intoSeconds(pair: Pair, site: Site, row: number): unknown {
    const value = this.numberAt(site.inside[0]!, row);
    if (value === undefined) throw this.unconvertible(pair, UNKNOWN_RULE);
    const all = BigInt(value) * pair.scale[0];
    const nanoseconds = ((all % 10n ** 9n) + 10n ** 9n) % 10n ** 9n;
    const parts = [(all - nanoseconds) / 10n ** 9n, nanoseconds];
    const r = pair.reader.type as T.RecordType;
    const values = r.fields.map(({ name, type }) => this.placed(pair, type, parts[pair.seconds.indexOf(name)]!));
    return this.containers.record(
      r,
      r.fields.map((each) => each.name),
      values,
    );
  }

  /** An integer of a type inside the pair's. */
  private placed(pair: Pair, type: T.Type, value: bigint): Integer {
    const { code } = inside(pair.reader, type).type;
    const number = Number(value);
    return this.integer(pair, code, Number.isSafeInteger(number) ? number : value);
  }

  /** The storage of a time in another unit: its number, alone or before a zone. */
  scaled(pair: Pair, site: Site, row: number): readonly [Site, number] {
    const [up, down] = pair.scale;
    const [at, i] = this.through(site, row);
    if (up === down || at.unknown) return [site, row];
    if (at.type.code === T.TUPLE) {
      const [numbers, zones] = at.inside as [Site, Site];
      const [number, numberRow] = this.scaledNumber(pair, numbers, this.sites.item(at, 0, i), "[0]");
      const made = siteOf(at.type, 1, undefined, [number, zones]);
      made.children = [Int32Array.of(numberRow), Int32Array.of(this.sites.item(at, 1, i))];
      return [made, 0];
    }
    return this.scaledNumber(pair, at, i, "");
  }

  private scaledNumber(pair: Pair, site: Site, row: number, step: string): readonly [Site, number] {
    const value = this.numberAt(site, row);
    if (value === undefined) return [site, row];
    const [up, down] = pair.scale;
    const all = BigInt(value) * up;
    if (all % down !== 0n) throw this.error("unconvertible", pair, lineRule("units"), step);
    const scaled = all / down;
    const number = Number(scaled);
    return [siteOf({ code: T.INT }, 1, [Number.isSafeInteger(number) ? number : scaled]), 0];
  }
}
