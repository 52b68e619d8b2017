/** The bytes of types (F-14 to F-19). */

import { encodeInto, utf8Size } from "../column/write/text.js";
import { HoldallError } from "../error.js";
import { Output } from "../kernel/output.js";
import * as T from "./types.js";

/** F-38. */
const MOST_TYPES = 262_144;

/** The names of a schema (F-16). */
export class Names {
  private readonly numbers = new Map<string, number>();

  constructor(private readonly out: Output) {}

  write(name: string): void {
    const number = this.numbers.get(name);
    if (number !== undefined) {
      this.out.varint(2 * number + 1);
      return;
    }
    this.numbers.set(name, this.numbers.size);
    this.out.varint(2 * utf8Size(name));
    encodeInto(this.out, name);
  }
}

/** Writes types. It recurses on their nesting. */
export class TypeWriter {
  readonly out = new Output(128);
  protected readonly names = new Names(this.out);
  private count = 0;

  protected code(code: number): void {
    this.out.byte(code);
    if (++this.count > MOST_TYPES) {
      throw new HoldallError("limit_sites", { expected: `at most ${MOST_TYPES} types in a schema`, got: "more" });
    }
  }

  protected logical(kind: number, parameters: Uint8Array): void {
    this.code(T.LOGICAL);
    this.out.byte(kind);
    this.out.varint(parameters.length);
    this.out.write(parameters);
  }

  protected shapes(shapes: readonly (readonly number[])[]): void {
    this.out.varint(shapes.length);
    for (const fields of shapes) {
      this.out.varint(fields.length);
      for (const field of fields) this.out.varint(field);
    }
  }

  type(type: T.Type): void {
    const { out } = this;
    if (type.code === T.LOGICAL) {
      this.logical(type.kind, type.parameters);
      this.type(type.storage);
      return;
    }
    this.code(type.code);
    switch (type.code) {
      case T.FIXED:
      case T.ARRAY:
        out.varint(type.size);
        break;
      case T.TUPLE:
        out.varint(type.items.length);
        break;
      case T.DEF:
      case T.SHARED:
        out.varint(type.index);
        break;
      case T.EXTENSION:
        this.names.write(type.name);
        break;
      case T.UNION:
        out.varint(2 * type.variants.length + (type.named ? 1 : 0));
        for (const variant of type.variants) {
          if (type.named) this.names.write(variant.name);
          this.type(variant.type);
        }
        return;
      case T.RECORD:
      case T.STRUCT:
        if (type.code === T.STRUCT) this.names.write(type.name);
        out.varint(4 * type.fields.length + type.form);
        for (const field of type.fields) {
          this.names.write(field.name);
          this.type(field.type);
        }
        if (type.form === T.FORM_SHAPES) this.shapes(type.shapes);
        return;
    }
    for (const inside of T.typesInside(type)) this.type(inside);
  }
}
