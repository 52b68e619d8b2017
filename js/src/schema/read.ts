/** Reads the types of a schema from their bytes (chapter 4). It recurses on the nesting of types, which F-15 bounds. */

import { fault } from "../error.js";
import type { Input } from "../kernel/input.js";
import { decodeUtf8 } from "../kernel/utf8.js";
import { KINDS } from "./logical.js";
import { isPackableCode, valueWidth } from "./packable.js";
import { hasStorage } from "./storage.js";
import * as T from "./types.js";

const MAX_NESTING = 128;
const MAX_TYPES = 262_144;
const MAX_WIDTH = 2 ** 20;

/** F-13: reads a schema. Where `counted`, the number of definitions is at its head. */
export function readSchema(input: Input, counted: boolean, zeroAllowed: boolean): T.Schema {
  const start = input.pos;
  let count = 0;
  if (counted) {
    count = input.varint();
    if (count === 0 && !zeroAllowed) throw fault("bad_definition_count", start);
    checkCount(input, count, start);
  }
  const types = new TypeReader(input, count);
  const root = types.read(1);
  const definitions: T.Type[] = [];
  for (let i = 0; i < count; i++) {
    // F-20: the type's first byte may be missing.
    if (i >= types.mentioned) throw fault("bad_definition", input.pos);
    definitions.push(types.read(1, true));
  }
  const written = input.bytes.subarray(start, input.pos);
  const bytes = new Uint8Array(written.length + (counted ? 0 : 1));
  bytes.set(written, counted ? 0 : 1);
  return { root, definitions, bytes };
}

/** F-13: a count cannot exceed the number of bytes after it. */
export function checkCount(input: Input, count: number, at: number): void {
  if (count > input.remaining) throw fault("truncated", at);
}

class TypeReader {
  /** The number of definitions mentioned so far (F-20). */
  mentioned = 0;
  private types = 0;
  private readonly names: string[] = [];
  private readonly known = new Set<string>();

  constructor(
    private readonly input: Input,
    private readonly definitions: number,
  ) {}

  read(level: number, definition = false, packed = false, siblings?: Set<number>): T.Type {
    const { input } = this;
    const at = input.pos;
    const code = input.byte();
    // F-15: both checks precede those of the code.
    if (level > MAX_NESTING) throw fault("limit_nesting", at);
    if (++this.types > MAX_TYPES) throw fault("limit_sites", at);
    if (definition && (code === T.DEF || code === T.SHARED)) throw fault("bad_definition", at);
    if (siblings !== undefined) {
      // F-19.
      if (code <= T.NULL || code === T.OPTION) throw fault("bad_union", at);
      if (code <= T.BYTES && siblings.has(code)) throw fault("bad_union", at);
      siblings.add(code);
    }
    if (packed && !isPackableCode(code)) throw fault("bad_packed", at);
    const type = this.parameters(code, level + 1, packed, siblings !== undefined);
    if (packed) {
      const width = valueWidth(type);
      if (!(width >= 1 && width <= MAX_WIDTH)) throw fault("bad_packed", at);
    }
    return type;
  }

  private parameters(code: number, level: number, packed: boolean, isVariant: boolean): T.Type {
    const { input } = this;
    if (code <= T.BYTES) return { code } as T.Type;
    switch (code) {
      case T.FIXED:
        return { code, ...this.size() };
      case T.OPTION:
      case T.LIST:
        return { code, item: this.read(level) };
      case T.ARRAY: {
        const size = this.size();
        return { code, ...size, item: this.read(level, false, packed) };
      }
      case T.TUPLE: {
        const at = input.pos;
        const count = input.varint();
        checkCount(input, count, at);
        const items: T.Type[] = [];
        for (let i = 0; i < count; i++) items.push(this.read(level, false, packed));
        return { code, items };
      }
      case T.STRUCT:
        return this.record(code, this.name(), level, packed);
      case T.RECORD:
        return this.record(code, "", level, packed);
      case T.MAP: {
        const key = this.read(level);
        return { code, key, value: this.read(level) };
      }
      case T.UNION:
        return this.union(level, isVariant);
      case T.TENSOR:
      case T.PACKED:
        return { code, item: this.read(level, false, true) };
      case T.DEF:
      case T.SHARED: {
        const at = input.pos;
        const index = input.varint();
        // F-20.
        if (index > this.mentioned || index >= this.definitions) throw fault("bad_definition", at);
        if (index === this.mentioned) this.mentioned++;
        return { code, index };
      }
      case T.LOGICAL:
        return this.logical(level, packed);
      case T.EXTENSION: {
        const name = this.name();
        return { code, name, item: this.read(level, false, packed) };
      }
    }
    if (code < T.LATER) throw fault("unknown_type", input.pos - 1);
    // F-73.
    const size = input.varint();
    const at = input.take(size);
    return { code: T.LATER, actual: code, parameters: input.bytes.slice(at, input.pos) };
  }

  private size(): { size: number; exact?: bigint } {
    const exact = this.input.exact();
    return typeof exact === "number" ? { size: exact } : { size: Number(exact), exact };
  }

  /** F-16. */
  private name(): string {
    const { input, names } = this;
    const at = input.pos;
    const [v, isKnown] = input.head(2);
    if (isKnown) {
      const name = names[v];
      if (name === undefined) throw fault("index_out_of_range", at);
      return name;
    }
    const start = input.take(v);
    const name = decodeUtf8(input.bytes, start, input.pos);
    if (name === undefined) throw fault("invalid_utf8", start);
    if (this.known.has(name)) throw fault("name_repeated", at);
    names.push(name);
    this.known.add(name);
    return name;
  }

  private named(count: number, level: number, packed: boolean): T.NamedType[] {
    const seen = new Set<string>();
    const list: T.NamedType[] = [];
    for (let i = 0; i < count; i++) {
      const at = this.input.pos;
      const name = this.name();
      if (seen.has(name)) throw fault("duplicate_name", at);
      seen.add(name);
      list.push({ name, type: this.read(level, false, packed) });
    }
    return list;
  }

  /** F-17. */
  private record(code: typeof T.RECORD | typeof T.STRUCT, name: string, level: number, packed: boolean): T.Type {
    const { input } = this;
    const at = input.pos;
    const [count, rest] = input.head(4);
    const form = rest as 0 | 1 | 2 | 3;
    if (form === 3) throw fault("bad_form", at);
    if (packed && form !== T.FORM_ALL) throw fault("bad_packed", at);
    checkCount(input, count, at);
    const fields = this.named(count, level, packed);
    return { code, name, fields, form, shapes: form === T.FORM_SHAPES ? this.shapes(count) : [] };
  }

  /** F-18. */
  private shapes(fields: number): number[][] {
    const { input } = this;
    const at = input.pos;
    const count = input.varint();
    if (count < 2) throw fault("bad_shape", at);
    checkCount(input, count, at);
    const shapes: number[][] = [];
    for (let i = 0; i < count; i++) {
      const place = input.pos;
      const size = input.varint();
      checkCount(input, size, place);
      const shape = new Set<number>();
      for (let j = 0; j < size; j++) {
        const at = input.pos;
        const number = input.varint();
        if (number >= fields) throw fault("index_out_of_range", at);
        if (shape.has(number)) throw fault("bad_shape", at);
        shape.add(number);
      }
      shapes.push([...shape]);
    }
    return shapes;
  }

  /** F-19. */
  private union(level: number, insideUnnamed: boolean): T.Type {
    const { input } = this;
    const at = input.pos;
    const [count, rest] = input.head(2);
    const named = rest === 1;
    if (!named && (count < 2 || insideUnnamed)) throw fault("bad_union", at);
    checkCount(input, count, at);
    if (named) return { code: T.UNION, named, variants: this.named(count, level, false) };
    const siblings = new Set<number>();
    const variants: T.NamedType[] = [];
    for (let i = 0; i < count; i++) variants.push({ name: "", type: this.read(level, false, false, siblings) });
    return { code: T.UNION, named, variants };
  }

  /** F-72. */
  private logical(level: number, packed: boolean): T.Type {
    const { input } = this;
    const kindAt = input.pos;
    const kind = input.byte();
    const known = kind > 0 ? KINDS[kind] : undefined;
    if (known === undefined && kind < T.LATER) throw fault("unknown_kind", kindAt);
    const countAt = input.pos;
    const count = input.varint();
    if (known !== undefined && count !== known.length - 1) throw fault("bad_parameters", countAt);
    const start = input.take(count);
    const parameters = input.bytes.slice(start, start + count);
    if (known !== undefined) {
      for (let i = 0; i < count; i++) {
        const meanings = known[i + 1] as { readonly [byte: number]: string };
        if (meanings[parameters[i]!] === undefined) throw fault("bad_parameters", start + i);
      }
    }
    const at = input.pos;
    const storage = this.read(level, false, packed);
    if (known !== undefined && !hasStorage(kind, parameters, storage)) throw fault("bad_storage", at);
    return { code: T.LOGICAL, kind, parameters, storage };
  }
}
