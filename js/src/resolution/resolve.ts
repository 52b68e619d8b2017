/** Pairs the types of a writer's schema with those of a reader's (F-78), once for any number of messages. */

import { type ErrorCode, HoldallError } from "../error.js";
import * as K from "../schema/logical.js";
import * as T from "../schema/types.js";
import { planFields } from "./fields.js";
import { type Changes, firstError, type Line, lineRule, NO_LINE, Pair, selfRule } from "./pairs.js";
import * as P from "./places.js";

/** Far more pairs than programs have. */
const MAX_PAIRS = 1_048_576;

const LISTS: readonly number[] = [K.SET, K.FROZEN_SET, K.LONG_TUPLE];
const TIMES: readonly number[] = [K.TIME, K.TIMESTAMP, K.DURATION];

/** The pair of the roots, or the error of the first pair that is not readable. */
export function resolve(writer: T.Schema, reader: T.Schema, changes: Changes): Pair {
  const sides: [P.Side, P.Side] = [{ definitions: writer.definitions }, { definitions: reader.definitions }];
  return new Resolver(changes, sides[0]).resolve(P.placeOf(writer.root, sides[0]), P.placeOf(reader.root, sides[1]));
}

export class Resolver {
  private readonly pairs = new Map<string, Pair>();
  private readonly pending: Pair[] = [];
  private readonly numbers = new Map<T.Type, number>();
  /** Unions without their variant Some: one for each, because a pair is known by its types. */
  private readonly withoutSome = new Map<T.Type, T.Type>();
  private readonly structAliases: ReadonlyMap<string, readonly string[]>;
  private readonly variantAliases: ReadonlyMap<string, readonly string[]>;

  constructor(
    readonly changes: Changes,
    /** The writer's schema: a pair whose reader's type is of it too is of an open field. */
    readonly writerSide: P.Side,
  ) {
    this.structAliases = new Map(Object.entries(changes.structAliases ?? {}));
    this.variantAliases = new Map(Object.entries(changes.variantAliases ?? {}));
  }

  resolve(writer: P.Place, reader: P.Place): Pair {
    const root = this.pair(writer, reader);
    // Chains of definitions can be deeper than the stack.
    for (let next = this.pending.pop(); next !== undefined; next = this.pending.pop()) this.fit(next);
    this.spread();
    if (root.failed) throw firstError(root);
    return root;
  }

  private numberOf(type: T.Type): number {
    let number = this.numbers.get(type);
    if (number === undefined) this.numbers.set(type, (number = this.numbers.size));
    return number;
  }

  /** A pair that occurs again, even inside itself, is the same pair. */
  pair(writer: P.Place, reader: P.Place, trail: readonly number[] = []): Pair {
    const side = reader.side === this.writerSide ? "w" : "r";
    const key = `${this.numberOf(writer.type)},${side}${this.numberOf(reader.type)},${trail.join()}`;
    let pair = this.pairs.get(key);
    if (pair === undefined) {
      if (this.pairs.size >= MAX_PAIRS) throw new HoldallError("limit_sites", { got: "too many pairs of types" });
      pair = new Pair(writer, reader, trail);
      this.pairs.set(key, pair);
      this.pending.push(pair);
    }
    return pair;
  }

  add(parent: Pair, step: string, child: Pair): Pair {
    parent.children.push([step, child]);
    child.parents.push(parent);
    return child;
  }

  failure(writer: P.Place, reader: P.Place, code: ErrorCode, rule: string): Pair {
    const pair = new Pair(writer, reader);
    pair.code = code;
    pair.rule = rule;
    return pair;
  }

  /** The writer's type with one inside the reader's (lines 5, 6, 11, 15). These lines alone lead to no pair again. */
  private onward(parent: Pair, reader: P.Place): Pair {
    const trail = [...new Set([...parent.trail, this.numberOf(parent.reader.type)])].sort((a, b) => a - b);
    if (trail.includes(this.numberOf(reader.type))) {
      return this.failure(parent.writer, reader, "incompatible", selfRule(reader));
    }
    return this.pair(parent.writer, reader, P.leadsOnward(parent.writer, reader) ? trail : []);
  }

  private fail(pair: Pair, rule: string): void {
    pair.line = "none";
    pair.code = "incompatible";
    pair.rule = rule;
  }

  /** Marks the pairs that are not readable: those of no line, and those that need them. */
  private spread(): void {
    const failed = new Set<Pair>();
    for (const pair of this.pairs.values()) {
      if (pair.code !== undefined) failed.add(pair);
      for (const [, child] of pair.children) if (child.code !== undefined) failed.add(child);
    }
    const pending = [...failed];
    for (const pair of pending) pair.failed = true;
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      for (const parent of next.parents) {
        if (parent.failed || (parent.anyWillDo && parent.children.some(([, child]) => !child.failed))) continue;
        parent.failed = true;
        pending.push(parent);
      }
    }
  }

  /** The first line of F-78's table that a pair fits. */
  private fit(pair: Pair): void {
    const fits =
      this.fitOptionsAndUnions(pair) ||
      this.fitExtensions(pair) ||
      this.fitLogical(pair) ||
      this.fitScalars(pair) ||
      this.fitSequences(pair) ||
      this.fitFields(pair);
    if (!fits) this.fail(pair, NO_LINE);
  }

  /** The line, with one child: a type inside w, or w itself, with a type inside r, or r itself. */
  private fitOne(pair: Pair, line: Line, w: T.Type | undefined, r: T.Type | undefined): boolean {
    pair.line = line;
    const { writer, reader } = pair;
    const left = w === undefined ? writer : P.inside(writer, w);
    this.add(pair, "", this.pair(left, r === undefined ? reader : P.inside(reader, r)));
    return true;
  }

  private fitOptionsAndUnions(pair: Pair): boolean {
    const { writer: w, reader: r } = pair;
    if (P.hasNoValues(w)) pair.line = "nothing";
    else if (w.type.code === T.OPTION && r.type.code === T.OPTION) {
      // Where `Some` says how many options are present, with all of r.
      const item = P.hasSome(P.inside(w, w.type.item)) ? undefined : r.type.item;
      return this.fitOne(pair, "options", w.type.item, item);
    } else if (w.type.code === T.OPTION) {
      pair.line = "from_option";
      pair.anyWillDo = true;
      pair.cause = 1;
      this.add(pair, "", this.pair(P.inside(w, P.NULL_TYPE), r));
      this.add(pair, "", this.pair(P.inside(w, w.type.item), r));
    } else if (w.type.code === T.UNION && !w.type.named) {
      pair.line = "from_union";
      pair.anyWillDo = true;
      for (const each of w.type.variants) this.add(pair, "", this.pair(P.inside(w, each.type), r));
    } else if (r.type.code === T.OPTION) {
      const item = P.inside(r, r.type.item);
      if (w.type.code === T.NULL) pair.line = "null";
      else if (!P.isExplicitSome(w) || !this.fitSome(pair, item)) {
        pair.line = "onward";
        this.add(pair, "", this.onward(pair, item));
      }
    } else if (r.type.code === T.UNION && !r.type.named) {
      this.fitIntoUnion(
        pair,
        r.type.variants.map((each) => P.inside(r, each.type)),
      );
    } else if (w.type.code === T.UNION && r.type.code === T.UNION) this.fitNamedUnions(pair, w.type, r.type);
    else return false;
    return true;
  }

  /** F-97: a union whose variant `Some` says that an option is present. */
  private fitSome(pair: Pair, item: P.Place): boolean {
    const w = pair.writer;
    // The type inside all of r's options.
    let innermost = item;
    const met = new Set<T.Type>();
    for (;;) {
      const { type } = innermost;
      if (type.code !== T.OPTION && type.code !== T.LOGICAL && type.code !== T.EXTENSION) break;
      if (met.has(type)) return false;
      met.add(type);
      innermost = P.inside(innermost, type.code === T.LOGICAL ? type.storage : type.item);
    }
    const payload = P.inside(w, P.payloadOfSome(w)!);
    let whole: Pair | undefined;
    if (innermost.type.code === T.UNION) {
      if (!innermost.type.named) return false;
      const own = this.variantsOf(innermost, innermost.type).get("Some");
      if (own !== undefined) {
        pair.ownSome = this.pair(payload, own[1]);
        whole = this.pair(w, item);
      } else if (this.otherOf(innermost, innermost.type) !== undefined) return false;
    }
    pair.line = "some";
    pair.anyWillDo = true;
    this.add(pair, "", this.pair(payload, item));
    const others = (w.type as T.UnionType).variants.filter((each) => each.name !== "Some");
    if (others.length > 0) {
      let rest = this.withoutSome.get(w.type);
      if (rest === undefined) {
        this.withoutSome.set(w.type, (rest = { code: T.UNION, named: true, variants: others }));
      }
      this.add(pair, "", this.pair({ type: rest, side: w.side }, item));
    }
    if (whole !== undefined) this.add(pair, "", whole);
    return true;
  }

  /** Pairs a type with the variants that it may become. The first readable one is chosen. */
  private fitIntoUnion(pair: Pair, variants: readonly P.Place[]): void {
    pair.line = "into_union";
    pair.anyWillDo = true;
    const { writer: w } = pair;
    let possible = variants;
    let chosen = variants.filter((each) => P.equalTypes(w, each)).slice(0, 1);
    if (chosen.length === 0 && w.type.code === T.STRUCT) {
      const { name } = w.type;
      // A struct of its name, else one with it as an alias; no other struct.
      const named = variants.find(({ type }) => type.code === T.STRUCT && type.name === name);
      const alias = variants.find(
        ({ type }) => type.code === T.STRUCT && this.structAliases.get(type.name)?.includes(name),
      );
      const own = named ?? alias;
      chosen = own === undefined ? [] : [own];
      possible = variants.filter(({ type }) => type.code !== T.STRUCT);
    }
    if (chosen.length > 0) pair.cause = 0;
    else {
      const code = P.unionCode(w);
      const first = possible.filter((each) => P.unionCode(each) === code);
      chosen = [...first, ...possible.filter((each) => P.unionCode(each) !== code)];
    }
    for (const each of chosen) this.add(pair, "", this.onward(pair, each));
    if (pair.children.length === 0) {
      pair.code = "incompatible";
      pair.rule = lineRule("into_union");
    }
  }

  private fitNamedUnions(pair: Pair, w: T.UnionType, r: T.UnionType): void {
    pair.line = "variants";
    pair.anyWillDo = true;
    const known = this.variantsOf(pair.reader, r);
    const other = this.otherOf(pair.reader, r);
    for (const { name, type } of w.variants) {
      const writer = P.inside(pair.writer, type);
      const own = known.get(name);
      pair.variantNames.push(own?.[0] ?? other);
      if (own !== undefined) this.add(pair, `<${own[0]}>`, this.pair(writer, own[1]));
      else if (other !== undefined) {
        const skipped = new Pair(writer, pair.reader);
        skipped.line = "skipped";
        this.add(pair, `<${name}>`, skipped);
      } else this.add(pair, `<${name}>`, this.failure(writer, pair.reader, "incompatible", NO_LINE));
    }
  }

  /** The variants of a named union of the reader's, by all the names that they have. */
  private variantsOf(r: P.Place, union: T.UnionType): Map<string, readonly [name: string, place: P.Place]> {
    const known = new Map<string, readonly [string, P.Place]>();
    for (const { name, type } of union.variants) known.set(name, [name, P.inside(r, type)]);
    for (const { name, type } of union.variants) {
      for (const alias of this.variantAliases.get(name) ?? []) {
        if (!known.has(alias)) known.set(alias, [name, P.inside(r, type)]);
      }
    }
    return known;
  }

  /** The variant for those that a named union of the reader's lacks. */
  private otherOf(r: P.Place, union: T.UnionType): string | undefined {
    return union.variants.find(
      ({ name, type }) => this.changes.otherVariants?.includes(name) && P.inside(r, type).type.code === T.NULL,
    )?.name;
  }

  private fitExtensions(pair: Pair): boolean {
    const { type: w } = pair.writer;
    const { type: r } = pair.reader;
    if (w.code === T.LATER && r.code === T.LATER) {
      pair.line = "unknown";
      return true;
    }
    if (w.code === T.EXTENSION && r.code === T.EXTENSION) {
      return w.name === r.name && this.fitOne(pair, "extensions", w.item, r.item);
    }
    if (w.code === T.EXTENSION) return this.fitOne(pair, "from_extension", w.item, undefined);
    if (r.code !== T.EXTENSION) return false;
    pair.line = "into_extension";
    this.add(pair, "", this.onward(pair, P.inside(pair.reader, r.item)));
    return true;
  }

  private fitLogical(pair: Pair): boolean {
    const { writer, reader } = pair;
    const { type: w } = writer;
    const { type: r } = reader;
    if (w.code === T.LOGICAL && r.code === T.LOGICAL) {
      return isSameLogical(pair, w, r) && this.fitOne(pair, "logicals", w.storage, r.storage);
    }
    if (w.code === T.LOGICAL) {
      if (!isSeconds(pair, reader, w)) return this.fitOne(pair, "from_logical", w.storage, undefined);
      pair.line = "into_seconds";
      return true;
    }
    if (r.code !== T.LOGICAL) return false;
    if (isSeconds(pair, writer, r)) pair.line = "from_seconds";
    else {
      pair.line = "into_logical";
      this.add(pair, "", this.onward(pair, P.inside(reader, r.storage)));
    }
    return true;
  }

  private fitScalars(pair: Pair): boolean {
    const { writer, reader } = pair;
    const { type: w } = writer;
    const { type: r } = reader;
    if (w.code === T.NULL && r.code === T.NULL) pair.line = "null";
    else if (w.code === r.code && (w.code === T.BOOL || w.code === T.STRING)) pair.line = "same";
    else if (P.isInteger(w) && P.isInteger(r)) pair.line = "integers";
    else if (P.isInteger(w) && P.isFloat(r)) pair.line = "into_float";
    else if (P.isFloat(w) && P.isFloat(r)) pair.line = "floats";
    else if (!P.isBytes(writer) || !P.isBytes(reader)) return false;
    else {
      const sizes = [P.sequenceSize(writer), P.sequenceSize(reader)];
      // Two numbers of bytes that can never agree do not fit.
      if (!sizes.includes(undefined) && sizes[0] !== sizes[1]) this.fail(pair, lineRule("bytes"));
      else pair.line = "bytes";
    }
    return true;
  }

  private fitSequences(pair: Pair): boolean {
    const { writer: w, reader: r } = pair;
    if (w.type.code === T.TENSOR && r.type.code === T.TENSOR) {
      const items = [P.inside(w, w.type.item), P.inside(r, r.type.item)] as const;
      if (P.isElement(items[0]) && P.isElement(items[1])) {
        pair.line = "tensors";
        this.add(pair, "[]", this.pair(...items));
      } else if (P.equalTypes(...items)) pair.line = "same_tensors";
      else this.fail(pair, lineRule("tensors"));
      return true;
    }
    if (!P.isSequence(w) || !P.isSequence(r)) return false;
    if (r.type.code === T.TENSOR && !P.isElement(P.inside(r, r.type.item))) return false;
    const sizes = [P.sequenceSize(w), P.sequenceSize(r)];
    if (!sizes.includes(undefined) && sizes[0] !== sizes[1]) {
      this.fail(pair, lineRule("items"));
      return true;
    }
    pair.line = "items";
    const tuple = w.type.code === T.TUPLE ? w.type : r.type.code === T.TUPLE ? r.type : undefined;
    if (tuple === undefined) this.add(pair, "[]", this.pair(P.itemType(w, 0), P.itemType(r, 0)));
    else {
      for (let i = 0; i < tuple.items.length; i++) {
        this.add(pair, `[${i}]`, this.pair(P.itemType(w, i), P.itemType(r, i)));
      }
    }
    return true;
  }

  private fitFields(pair: Pair): boolean {
    const { writer: w, reader: r } = pair;
    const isRecord = ({ type }: P.Place): boolean => type.code === T.RECORD || type.code === T.STRUCT;
    const hasStrings = (place: P.Place): boolean =>
      place.type.code === T.MAP && P.inside(place, place.type.key).type.code === T.STRING;
    if (isRecord(r) && (isRecord(w) || hasStrings(w))) {
      pair.line = "fields";
      planFields(this, pair, r.type as T.RecordType);
      return true;
    }
    if (r.type.code !== T.MAP) return false;
    if (w.type.code === T.MAP) {
      pair.line = "maps";
      this.add(pair, "[].key", this.pair(P.inside(w, w.type.key), P.inside(r, r.type.key)));
      this.add(pair, "[]", this.pair(P.inside(w, w.type.value), P.inside(r, r.type.value)));
      return true;
    }
    if (!isRecord(w)) return false;
    const { fields, code } = w.type as T.RecordType;
    if (!hasStrings(r) && (code === T.STRUCT || fields.length > 0)) return false;
    pair.line = "into_map";
    for (const { name, type } of fields) {
      this.add(pair, P.fieldStep(name), this.pair(P.inside(w, type), P.inside(r, r.type.value)));
    }
    return true;
  }
}

/** F-97: whether one type is a time, and the other its two fields. */
function isSeconds(pair: Pair, place: P.Place, time: T.LogicalType): boolean {
  const { type } = place;
  if ((type.code !== T.RECORD && type.code !== T.STRUCT) || type.form !== T.FORM_ALL) return false;
  const isInstant = time.kind === K.TIMESTAMP && time.parameters[1] === 1;
  if (time.kind !== K.DURATION && !isInstant) return false;
  const names: [string, string] = isInstant ? ["secs_since_epoch", "nanos_since_epoch"] : ["secs", "nanos"];
  const { fields } = type;
  if (fields.length !== 2 || !names.every((name) => fields.some((each) => each.name === name))) return false;
  if (!fields.every((each) => P.isInteger(P.inside(place, each.type).type))) return false;
  pair.seconds = names;
  // The nanoseconds of the time's unit.
  pair.scale = [10n ** 9n / 1000n ** BigInt(time.parameters[0]!), 1n];
  return true;
}

/** Whether the storages of two logical types are a pair. */
function isSameLogical(pair: Pair, w: T.LogicalType, r: T.LogicalType): boolean {
  if (w.kind !== r.kind) return LISTS.includes(w.kind) && LISTS.includes(r.kind);
  if (w.kind === K.COMPLEX || w.parameters.join() === r.parameters.join()) return true;
  if (!TIMES.includes(w.kind) || w.parameters.slice(1).join() !== r.parameters.slice(1).join()) return false;
  // The units are seconds, milliseconds, microseconds, nanoseconds.
  pair.scale = [1000n ** BigInt(r.parameters[0]!), 1000n ** BigInt(w.parameters[0]!)];
  return true;
}
