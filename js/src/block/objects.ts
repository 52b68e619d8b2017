/** Objects from columns: plain objects whose keys are own properties, whatever they are. */

import * as T from "../schema/types.js";

export type Fields = { [key: string]: unknown };

/** Sets an own property. Assigning `__proto__` would change the prototype instead. */
export function setOwn(object: Fields, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else object[key] = value;
}

/** The keys of some objects, in their order, and the columns of their values. */
export class Shape {
  readonly Row: new () => Fields;
  /** Whether keys can be assigned. */
  readonly isSafe: boolean;

  constructor(
    readonly keys: readonly string[],
    readonly fields: readonly number[],
  ) {
    this.Row = rowConstructor();
    this.isSafe = !keys.includes("__proto__");
  }
}

/**
 * A constructor of plain objects. V8 counts the properties that the first objects of a constructor get, so all others have
 * room for them inside: of 24 kinds of records a value takes 17 ns, and 20 to 30 ns in a literal or a copy of one object.
 * It assumes as many to begin with as the text assigns.
 */
function rowConstructor(): new () => Fields {
  function Row(this: Fields, isNever?: true): void {
    if (isNever)
      this["a"] =
        this["b"] =
        this["c"] =
        this["d"] =
        this["e"] =
        this["f"] =
        this["g"] =
        this["h"] =
        this["i"] =
        this["j"] =
        this["k"] =
        this["l"] =
        this["m"] =
        this["n"] =
        this["o"] =
        this["p"] =
        this["q"] =
        this["r"] =
        this["s"] =
        this["t"] =
        this["u"] =
        this["v"] =
        this["w"] =
        this["x"] =
        this["y"] =
        this["z"] =
        this["A"] =
        this["B"] =
        this["C"] =
        this["D"] =
        this["E"] =
        this["F"] =
          0;
  }
  Row.prototype = Object.prototype;
  return Row as unknown as new () => Fields;
}

const kept: WeakMap<T.RecordType, readonly Shape[]> = /* @__PURE__ */ new WeakMap();

/** The shapes of a record that has some. */
export function shapesOf(type: T.RecordType): readonly Shape[] {
  let shapes = kept.get(type);
  if (shapes === undefined) {
    const all = type.form === T.FORM_ALL ? [type.fields.map((_, field) => field)] : type.shapes;
    shapes = all.map(
      (fields) =>
        new Shape(
          fields.map((field) => type.fields[field]!.name),
          fields,
        ),
    );
    kept.set(type, shapes);
  }
  return shapes;
}

/** Fewer objects are made as literals: the first few of a constructor have room for as many properties as it assumes. */
const MAX_LITERAL_OBJECTS = 8;

/** Makes n objects, each of the shape whose number it has, from a column for each field. Others can precede and follow them. */
export function makeObjects(
  shapes: readonly Shape[],
  numbers: ArrayLike<number> | undefined,
  columns: readonly (readonly unknown[])[],
  n: number,
  rows: Fields[] = new Array(n),
  from = 0,
): Fields[] {
  const taken = new Int32Array(columns.length);
  for (let i = 0; i < n; i++) {
    const { keys, fields, Row, isSafe } = shapes[numbers === undefined ? 0 : numbers[i]!]!;
    const row = rows.length < MAX_LITERAL_OBJECTS ? {} : new Row();
    const count = keys.length;
    if (isSafe) {
      for (let j = 0; j < count; j++) {
        const field = fields[j]!;
        row[keys[j]!] = columns[field]![taken[field]!++];
      }
    } else {
      for (let j = 0; j < count; j++) {
        const field = fields[j]!;
        setOwn(row, keys[j]!, columns[field]![taken[field]!++]);
      }
    }
    rows[from + i] = row;
  }
  return rows;
}
