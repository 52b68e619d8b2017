/**
 * Small messages written in one walk. If each site has one row, the columns are in the order of the values, and the kinds and
 * keys of the values determine the schema: a walk that meets those of an earlier message writes columns alone. At any other
 * kind or key it stops, and the message is shredded.
 */

import { FloatRows, writeFloats } from "../column/write/floats.js";
import { INT, IntRows, writeInts } from "../column/write/ints.js";
import { asciiInto, encodeInto, SHORT, utf8Size, writeText } from "../column/write/text.js";
import { Output } from "../kernel/output.js";
import { registrationOf } from "../registry.js";
import { TIMESTAMP } from "../schema/logical.js";
import { Names } from "../schema/type_writer.js";
import * as codes from "../schema/types.js";

/** More are forgotten, all at once. */
const MOST_STEPS = 16_384;
/** At one place of records. The keys of more records are data. */
const MOST_KEYS = 32;
const DEEPEST = 64;
/** The bytes before a block, and in one. Such blocks need no filler (F-95). */
const MOST_HEAD = 4096;
const MOST_BLOCK = 16_384;
/** More objects are found sooner by the table of a shredder. */
const MOST_OBJECTS = 64;
/** Zigzags of integers up to this magnitude are exact. */
const SAFE = 2 ** 52;

// What a value is. END follows the last field of a record.
const NULL = 0;
const BOOL = 1;
const INTEGER = 2;
const FLOAT = 3;
const TEXT = 4;
const BYTES = 5;
const DATE = 6;
const NO_ITEMS = 7;
const ONE_ITEM = 8;
const INTEGERS = 9;
const FLOATS = 10;
const TEXTS = 11;
const RECORD = 12;
const END = 13;

/** The bytes with which the type of each begins (F-14). */
const TYPES: readonly (readonly number[])[] = [
  [codes.NULL],
  [codes.BOOL],
  [codes.INT],
  [codes.F64],
  [codes.STRING],
  [codes.BYTES],
  [codes.LOGICAL, TIMESTAMP, 4, 1, 1, codes.INT],
  [codes.LIST, codes.NEVER],
  [codes.LIST],
  [codes.LIST, codes.INT],
  [codes.LIST, codes.F64],
  [codes.LIST, codes.STRING],
  [codes.RECORD],
  [],
];

/** A place in a message, after values of certain kinds. */
class Step {
  /** The places after a value of each kind. */
  readonly after: (Step | undefined)[] = TYPES.map(() => undefined);
  /** In a record the places after each key that follows, linked by `other`. */
  field: Step | undefined = undefined;
  other: Step | undefined = undefined;

  /** At the end of a message all that precedes its block, and its schema. */
  head: Uint8Array | undefined = undefined;
  schema: Uint8Array | undefined = undefined;

  constructor(readonly key: string) {}
}

/** The schema of a walk that learns, as far as it has come. */
class Lesson {
  readonly types = new Output(128);
  readonly names = new Names(this.types);
}

/** The schemas of an encoder's small messages. */
export class LearnedSchemas {
  private start = new Step("");
  private steps = 0;
  private readonly out = new Output(MOST_HEAD + MOST_BLOCK);
  /** The objects so far: one in two places is written by a shredder. */
  private readonly objects: (object | undefined)[] = [];
  private count = 0;
  private isBusy = false;
  private lesson: Lesson | undefined = undefined;

  constructor(
    private readonly references: boolean,
    private readonly balanced: boolean,
  ) {}

  /** The message of a value of known kinds and keys. */
  write(value: unknown): { readonly message: Uint8Array; readonly schema: Uint8Array | undefined } | undefined {
    const end = this.walk(value);
    if (end?.head === undefined) return undefined;
    const { bytes, length } = this.out;
    const at = MOST_HEAD - end.head.length;
    bytes.set(end.head, at);
    return { message: bytes.slice(at, length), schema: end.schema };
  }

  /** Learns the kinds and keys of a value from its message, whose schema has no definitions; false if it is no small one. */
  learn(value: unknown, message: Uint8Array, types: Uint8Array, schema: Uint8Array | undefined): boolean {
    if (message.length > MOST_HEAD + MOST_BLOCK) return false;
    const lesson = new Lesson();
    if (this.steps >= MOST_STEPS) {
      this.start = new Step("");
      this.steps = 0;
    }
    const end = this.walk(value, lesson);
    // Inference decides otherwise if keys are data, or if a record contains another one with its keys (F-49, F-50).
    if (end === undefined || !isSame(lesson.types, types)) return false;
    const size = message.length - (this.out.length - MOST_HEAD);
    if (size > MOST_HEAD) return false;
    end.head = message.slice(0, size);
    end.schema = schema;
    return true;
  }

  /** Writes the columns of a value, if its kinds and keys are known. */
  private walk(value: unknown, lesson?: Lesson): Step | undefined {
    // A getter can write messages, too.
    if (this.isBusy) return undefined;
    this.isBusy = true;
    this.lesson = lesson;
    this.out.length = MOST_HEAD;
    try {
      return this.value(this.start, value, 0);
    } finally {
      while (this.count > 0) this.objects[--this.count] = undefined;
      this.isBusy = false;
    }
  }

  /** Recurses on the depth of values that are known. */
  private value(step: Step, value: unknown, depth: number): Step | undefined {
    const { out } = this;
    switch (typeof value) {
      case "string":
        return this.text(value) ? this.next(step, TEXT) : undefined;
      case "number":
        if (isInteger(value)) {
          out.signedVarint(value);
          return this.next(step, INTEGER);
        }
        if (!isFloat(value)) return undefined;
        out.double(value);
        return this.next(step, FLOAT);
      case "boolean":
        out.byte(value ? 1 : 0);
        return this.next(step, BOOL);
      case "object":
        return value === null ? this.next(step, NULL) : this.object(step, value, depth);
    }
    return undefined;
  }

  private object(step: Step, value: object, depth: number): Step | undefined {
    const prototype = Object.getPrototypeOf(value);
    if (prototype === Uint8Array.prototype) {
      if (registrationOf(prototype) !== undefined) return undefined;
      const bytes = value as Uint8Array;
      this.out.varint(bytes.length);
      this.out.write(bytes);
      return this.next(step, BYTES);
    }
    if (this.references && this.isRepeated(value)) return undefined;
    if (prototype === Object.prototype || prototype === null) return this.record(step, value, depth + 1);
    if (prototype === Array.prototype) return this.list(step, value as unknown[], depth + 1);
    if (prototype !== Date.prototype || registrationOf(prototype) !== undefined) return undefined;
    const ms = (value as Date).getTime();
    if (Number.isNaN(ms)) return undefined;
    this.out.signedVarint(ms);
    return this.next(step, DATE);
  }

  private isRepeated(value: object): boolean {
    const { objects, count } = this;
    if (count === MOST_OBJECTS) return true;
    for (let i = 0; i < count; i++) if (objects[i] === value) return true;
    objects[this.count++] = value;
    return false;
  }

  private record(step: Step, object: object, depth: number): Step | undefined {
    let at = this.next(step, RECORD);
    const { lesson } = this;
    // To begin to list the keys takes as long as all of them, if they are many.
    if (at === undefined) return undefined;
    if (lesson !== undefined) {
      if (depth > DEEPEST) return undefined;
      lesson.types.varint(4 * Object.keys(object).length);
    }
    for (const key in object) {
      if (at === undefined) return undefined;
      let field: Step | undefined = at.field;
      while (field !== undefined && field.key !== key) field = field.other;
      if (lesson !== undefined) {
        if (!key.isWellFormed()) return undefined;
        lesson.names.write(key);
        field ??= this.addField(at, key);
      }
      if (field === undefined) return undefined;
      at = this.value(field, (object as { [key: string]: unknown })[key], depth);
    }
    return at && this.next(at, END);
  }

  private list(step: Step, items: unknown[], depth: number): Step | undefined {
    const { out, balanced } = this;
    const count = items.length;
    if (out.length + count > MOST_BLOCK || (this.lesson !== undefined && depth > DEEPEST)) return undefined;
    out.varint(count);
    const first = items[0];
    if (count === 0) return this.next(step, NO_ITEMS);
    if (count === 1) {
      const item = this.next(step, ONE_ITEM);
      return item && this.value(item, first, depth);
    }
    if (typeof first === "string") {
      for (let i = 0; i < count; i++) {
        const item = items[i];
        if (typeof item !== "string" || !item.isWellFormed()) return undefined;
      }
      writeText(out, items as string[], count, balanced);
      return this.next(step, TEXTS);
    }
    if (isInteger(first)) {
      const rows = new IntRows();
      for (let i = 0; i < count; i++) {
        const item = items[i];
        if (!isInteger(item)) return undefined;
        rows.push(item);
      }
      writeInts(out, INT, rows, balanced);
      return this.next(step, INTEGERS);
    }
    const rows = new FloatRows();
    for (let i = 0; i < count; i++) {
      const item = items[i];
      if (typeof item !== "number" || isInteger(item) || !isFloat(item)) return undefined;
      rows.push(item);
    }
    writeFloats(out, rows, balanced);
    return this.next(step, FLOATS);
  }

  /** A column of one text; false if it is none of the format. */
  private text(text: string): boolean {
    const { out } = this;
    const { length } = text;
    if (length <= SHORT) {
      out.reserve(length + 1);
      const at = out.length + 1;
      if (asciiInto(out.bytes, at, text)) {
        out.bytes[at - 1] = length << 1;
        out.length = at + length;
        return true;
      }
    }
    if (!text.isWellFormed() || out.length + length > MOST_BLOCK) return false;
    out.varint(utf8Size(text));
    encodeInto(out, text);
    return true;
  }

  /** The place after a value of a kind. */
  private next(step: Step, kind: number): Step | undefined {
    return this.lesson === undefined ? step.after[kind] : this.add(this.lesson, step, kind);
  }

  private add(lesson: Lesson, step: Step, kind: number): Step | undefined {
    for (const byte of TYPES[kind]!) lesson.types.byte(byte);
    if (lesson.types.length > MOST_HEAD || this.out.length > MOST_HEAD + MOST_BLOCK) return undefined;
    let next = step.after[kind];
    if (next === undefined) {
      this.steps++;
      step.after[kind] = next = new Step("");
    }
    return next;
  }

  private addField(step: Step, key: string): Step | undefined {
    let count = 0;
    for (let field = step.field; field !== undefined; field = field.other) count++;
    if (count === MOST_KEYS) return undefined;
    this.steps++;
    const added = new Step(key);
    added.other = step.field;
    step.field = added;
    return added;
  }
}

/** Whether a value is written as an integer, and by its double alone. */
function isInteger(value: unknown): value is number {
  return (
    Number.isSafeInteger(value) && (value as number) <= SAFE && (value as number) >= -SAFE && !Object.is(value, -0)
  );
}

/** Whether a number that is no such integer is written as f64 (F-45), and its bits are those of its value. */
function isFloat(value: number): boolean {
  return (!Number.isSafeInteger(value) && !Number.isNaN(value)) || value === 0;
}

function isSame(a: Output, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < b.length; i++) if (a.bytes[i] !== b[i]) return false;
  return true;
}
