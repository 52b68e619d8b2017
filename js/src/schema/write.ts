/** The schema's bytes (chapter 4), and which row types are definitions (F-54). */

import type { RowType, RowVariant, Shape, Site } from "../infer/sites.js";
import { TypeWriter } from "./type_writer.js";
import * as codes from "./types.js";

/** F-54: from this level on, row types are definitions. */
const DEFINITION_LEVEL = 97;
/** F-53: more shapes than these are not listed. */
const MOST_SHAPES = 16;

/** The form of a record or struct (F-53). */
export function formOf(shapes: readonly Shape[]): 0 | 1 | 2 {
  if (shapes.length <= 1) return codes.FORM_ALL;
  return shapes.length <= MOST_SHAPES ? codes.FORM_SHAPES : codes.FORM_SPARSE;
}

/** Whether a row type is a definition wherever it is. */
function isDefinition(type: RowType): boolean {
  return type.sites.length > 1 || type.isShared;
}

/** The schema that was inferred. */
export interface WrittenSchema {
  /** The bytes of all types, without the number of definitions. */
  readonly types: Uint8Array;
  readonly definitions: readonly RowType[];
  /** Row types that are definitions, by number. */
  readonly numbers: ReadonlyMap<RowType, number>;
}

/** Writes the schema of the values at a site. */
export function writeSchema(root: Site): WrittenSchema {
  const writer = new SchemaWriter();
  writer.site(root, 1);
  // Each may mention others. A definition's own levels count from 1 again.
  for (let i = 0; i < writer.definitions.length; i++) writer.rowType(writer.definitions[i]!, 1);
  const { out } = writer;
  return { types: out.bytes.slice(0, out.length), definitions: writer.definitions, numbers: writer.numbers };
}

/** Writes inferred types. It recurses no deeper than F-54 lets types nest in place. */
class SchemaWriter extends TypeWriter {
  readonly definitions: RowType[] = [];
  readonly numbers = new Map<RowType, number>();

  /** A site's type (F-48). */
  site(site: Site, level: number): void {
    const { variants } = site;
    if (variants.length === 0) {
      this.code(site.presence ? codes.NULL : codes.NEVER);
      return;
    }
    let at = level;
    if (site.presence) {
      this.code(codes.OPTION);
      at++;
    }
    if (variants.length > 1) {
      this.code(codes.UNION);
      this.out.varint(2 * variants.length);
      at++;
    }
    for (const variant of variants) {
      if (variant.type === null) {
        this.code(variant.code);
        if (variant.code === codes.FIXED) this.out.varint(variant.size);
      } else if (!site.isStorage && (isDefinition(variant.type) || at >= DEFINITION_LEVEL)) {
        this.definition(variant);
      } else {
        this.rowType(variant.type, at);
      }
    }
  }

  private definition(variant: RowVariant): void {
    let number = this.numbers.get(variant.type);
    if (number === undefined) {
      number = this.definitions.length;
      this.numbers.set(variant.type, number);
      this.definitions.push(variant.type);
    }
    this.code(variant.references ? codes.SHARED : codes.DEF);
    this.out.varint(number);
  }

  /** A row type in place, and everything inside it. */
  rowType(type: RowType, level: number): void {
    const { out } = this;
    const { what, inside } = type;
    switch (type.kind) {
      case "list":
        this.code(codes.LIST);
        break;
      case "map":
        this.code(codes.MAP);
        break;
      case "array":
      case "tuple":
        this.code(type.kind === "array" ? codes.ARRAY : codes.TUPLE);
        out.varint(what.size!);
        break;
      case "extension":
        this.code(codes.EXTENSION);
        this.names.write(what.name!);
        break;
      case "logical":
        this.logical(what.size!, what.parameters!);
        break;
      case "tensor":
        this.code(codes.TENSOR);
        this.type(what.element!);
        break;
      case "union":
        this.code(codes.UNION);
        out.varint(2 * inside.length + 1);
        break;
      default:
        // F-49: an undecided variant at the end is a record without fields.
        this.code(type.kind === "struct" ? codes.STRUCT : codes.RECORD);
        if (type.kind === "struct") this.names.write(what.name!);
        out.varint(4 * inside.length + formOf(type.shapes));
    }
    // Fields and a named union's variants have names, one for each site.
    const names = [...type.names.keys()];
    inside.forEach((site, i) => {
      if (names.length > 0) this.names.write(names[i]!);
      this.site(site, level + 1);
    });
    if (formOf(type.shapes) === codes.FORM_SHAPES) this.shapes(type.shapes.map(({ fields }) => fields));
  }
}
