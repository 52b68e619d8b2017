/**
 * The value of a small message, read row by row from its bytes: `readBlock` makes a site for each type and a column for each
 * site, which takes 5 times as long as one row (1,000 events of 300 bytes). What has more rows is read by it also here. A
 * fault has no offset: the caller reads the message again with `readBlock`, which finds it.
 */

import { fault } from "../error.js";
import type { Input } from "../kernel/input.js";
import { decodeUtf8, latin1 } from "../kernel/utf8.js";
import { ORDERED_MAP } from "../schema/logical.js";
import * as T from "../schema/types.js";
import { readSite } from "./read.js";
import type { Making, Values } from "./values.js";

/** A message of so few bytes becomes one string, of which its texts are parts. */
const MOST_TEXT = 4096;

/** A type with what its rows need, all of one class: a switch over objects of several takes longer. */
class Plan {
  constructor(
    readonly type: T.Type,
    /** The type's code; COLUMNS where a row is read by `readSite`. */
    readonly code: number,
    readonly keys: readonly string[],
    readonly inside: readonly Plan[],
  ) {}
}

export type RowPlan = Plan;

const COLUMNS = T.PACKED;

/** How to read a row of a schema; undefined if rows can refer to others or are of classes. */
export function planRow(schema: T.Schema): Plan | undefined {
  return schema.definitions.length > 0 || hasClasses(schema.root) ? undefined : planOf(schema.root);
}

/** Whether a row can call the program's code, which must not be called again after a fault. */
function hasClasses(type: T.Type): boolean {
  return type.code === T.STRUCT || type.code === T.EXTENSION || T.typesInside(type).some(hasClasses);
}

function planOf(type: T.Type): Plan {
  let { code }: { code: number } = type;
  let keys: string[] = [];
  const isRead =
    [T.NULL, T.BOOL, T.INT, T.F64, T.STRING, T.OPTION, T.LIST].includes(code as typeof T.LIST) ||
    (type.code === T.LOGICAL && type.kind !== ORDERED_MAP);
  if (type.code === T.RECORD && type.form === T.FORM_ALL) keys = type.fields.map((field) => field.name);
  else if (!isRead) code = COLUMNS;
  if (keys.includes("__proto__")) code = COLUMNS;
  return new Plan(type, code, keys, code === COLUMNS ? [] : T.typesInside(type).map(planOf));
}

/** Reads rows, one after the other. */
export class RowReader {
  private text: string | undefined = undefined;

  constructor(
    private readonly input: Input,
    private readonly making: Making,
  ) {}

  /** The next row. It recurses on the nesting of the schema alone. */
  read(plan: Plan): unknown {
    const { input } = this;
    switch (plan.code) {
      case T.RECORD: {
        input.charge(8);
        const { keys, inside } = plan;
        const row: { [key: string]: unknown } = {};
        for (let i = 0; i < keys.length; i++) row[keys[i]!] = this.read(inside[i]!);
        return row;
      }
      case T.STRING:
        if (input.isAtMarker()) break;
        input.charge(8);
        return this.string(input.varint());
      case T.INT: {
        if (input.isAtMarker()) break;
        input.charge(8);
        return this.making.int(input.signed());
      }
      case T.BOOL:
      case T.OPTION: {
        input.charge(8);
        const bit = input.byte();
        if (bit > 1) throw fault("nonzero_padding", input.pos);
        if (plan.code === T.BOOL) return bit === 1;
        return bit === 1 ? this.read(plan.inside[0]!) : null;
      }
      case T.NULL:
        input.charge(8);
        return null;
      case T.F64: {
        input.charge(8);
        return input.f64();
      }
      case T.LIST: {
        if (input.isAtMarker()) break;
        input.charge(8);
        const count = input.varint();
        const item = plan.inside[0]!;
        if (count === 1) return [this.read(item)];
        return count === 0 ? [] : arrayOf(this.rows(item.type, count));
      }
      case T.LOGICAL:
        input.charge(8);
        return this.making.logical(plan.type as T.LogicalType, this.read(plan.inside[0]!));
    }
    return this.rows(plan.type, 1)[0];
  }

  private rows(type: T.Type, count: number): Values {
    return this.making.make(readSite(this.input, type, count));
  }

  private string(size: number): string {
    const { input } = this;
    const { bytes } = input;
    const at = input.take(size);
    input.charge(size);
    const end = at + size;
    let i = at;
    while (i < end && bytes[i]! < 128) i++;
    if (i === end && bytes.length <= MOST_TEXT) return (this.text ??= latin1(bytes)).substring(at, end);
    const text = decodeUtf8(bytes, at, end);
    if (text === undefined) throw fault("invalid_utf8", at);
    return text;
  }
}

function arrayOf(rows: Values): unknown[] {
  return Array.isArray(rows) ? rows : Array.from(rows);
}
