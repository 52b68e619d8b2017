/** The columns of a block (chapter 5), and what a reader is charged for them (F-39). */

import { writeBits } from "../column/write/bits.js";
import { FloatRows, writeFloats, writeRawFloats } from "../column/write/floats.js";
import { IntRows, U64, writeInts } from "../column/write/ints.js";
import { NumberRows } from "../column/write/numbers.js";
import { writeRaw } from "../column/write/raw.js";
import { writeByteStrings, writeText } from "../column/write/text.js";
import type { ListRows, RowType, RowVariant, ScalarVariant, Site } from "../infer/sites.js";
import type { Output } from "../kernel/output.js";
import * as codes from "../schema/types.js";
import { formOf, type WrittenSchema } from "../schema/write.js";

/** F-69. */
const PADDED_SIZE = 4096;

/** The width in bits of u8 to i128, by code; 0 of int. */
const INT_WIDTHS = [0, 0, 0, 0, 8, 16, 32, 64, 128, 8, 16, 32, 64, 128];

/** Writes a block. `sizes` gets the bytes of the columns of each type that has columns of its own (F-86). */
export function writeBlock(out: Output, root: Site, schema: WrittenSchema, balanced: boolean, sizes?: number[]): void {
  const writer = new BlockWriter(out, schema, balanced, sizes);
  for (const type of schema.definitions) out.varint(type.count);
  writer.site(root);
  for (const type of schema.definitions) {
    // The type of a definition is a site of its own.
    out.units += 8 * type.count;
    writer.rowType(type);
  }
}

/** Writes columns in preorder (F-23). It recurses no deeper than the schema does in place. */
class BlockWriter {
  constructor(
    private readonly out: Output,
    private readonly schema: WrittenSchema,
    private readonly balanced: boolean,
    private readonly sizes: number[] | undefined,
  ) {}

  private done(start: number): void {
    this.sizes?.push(this.out.length - start);
  }

  /** Ints (u64); F-25: nothing where there are no rows. */
  private numbers(rows: IntRows): void {
    if (rows.length > 0) writeInts(this.out, U64, rows, this.balanced);
  }

  /** The columns of a site's type (F-24, F-48), and of all types inside it. */
  site(site: Site): void {
    const { out } = this;
    const { variants, presence, numbers } = site;
    if (variants.length === 0) {
      // F-26: a site of nulls.
      out.units += 8 * (presence?.length ?? 0);
      return;
    }
    if (presence !== undefined) {
      const start = out.length;
      out.units += 8 * presence.length;
      writeBits(out, presence.rows, presence.length);
      this.done(start);
    }
    if (numbers !== undefined) {
      const start = out.length;
      out.units += 8 * numbers.length;
      this.numbers(numbers);
      this.done(start);
    }
    for (const variant of variants) {
      out.units += 8 * variant.count;
      if (variant.type === null) this.scalars(variant);
      else if (!this.schema.numbers.has(variant.type)) this.rowType(variant.type);
      else if (variant.references !== undefined) this.references(variant);
    }
  }

  private references(variant: RowVariant): void {
    const start = this.out.length;
    this.numbers(variant.references!);
    this.done(start);
  }

  private scalars(variant: ScalarVariant): void {
    const { out, balanced } = this;
    const { code, rows } = variant;
    const start = out.length;
    if (rows.length > 0) {
      if (rows instanceof IntRows)
        writeInts(out, { width: INT_WIDTHS[code]!, signed: code === codes.INT || code >= codes.I8 }, rows, balanced);
      else if (rows instanceof FloatRows) writeFloats(out, rows, balanced);
      else if (rows instanceof NumberRows) writeBits(out, rows.rows, rows.length);
      else if (code === codes.STRING) writeText(out, (rows as ListRows<string>).rows, rows.length, balanced);
      else if (code === codes.BYTES) writeByteStrings(out, (rows as ListRows<Uint8Array>).rows, rows.length, balanced);
      else if (code === codes.FIXED) writeRaw(out, (rows as ListRows<Uint8Array>).rows);
      else writeRawFloats(out, (rows as ListRows<Uint8Array>).rows);
    }
    this.done(start);
  }

  /** The columns of a row type, and of the sites inside it in the schema's order. */
  rowType(type: RowType): void {
    const { out } = this;
    const start = out.length;
    switch (type.kind) {
      case "list":
      case "map":
        this.numbers(type.numbers);
        this.done(start);
        break;
      case "union":
        // One variant needs no index.
        if (type.inside.length > 1) {
          this.numbers(type.numbers);
          this.done(start);
        }
        break;
      case "tensor":
        this.tensors(type);
        this.done(start);
        break;
      case "record":
      case "struct":
        this.shapes(type);
    }
    for (const site of type.inside) this.site(site);
  }

  /** Ranks, dimensions, orders, elements (F-76). */
  private tensors(type: RowType): void {
    const { out } = this;
    this.numbers(type.numbers);
    const { dimensions, orders, elements } = type.tensors!;
    out.units += 8 * dimensions.length;
    this.numbers(dimensions);
    writeBits(out, orders.rows, orders.length);
    writeRaw(out, elements.rows);
  }

  /** The shapes of the rows (F-31). */
  private shapes(type: RowType): void {
    const form = formOf(type.shapes);
    if (form === codes.FORM_ALL) return;
    const start = this.out.length;
    if (form === codes.FORM_SHAPES) {
      this.numbers(type.numbers);
    } else {
      const counts = new IntRows();
      const fields = new IntRows();
      for (let i = 0; i < type.count; i++) {
        const shape = type.shapes[type.numbers.rows[i]!]!;
        counts.push(shape.fields.length);
        for (const field of shape.fields) fields.push(field);
      }
      this.numbers(counts);
      this.out.units += 8 * fields.length;
      this.numbers(fields);
    }
    this.done(start);
  }
}

/** Whether some tensors have 4,096 bytes of elements or more, so that a message is aligned (F-69). */
export function isAligned(root: Site): boolean {
  const seen = new Set<RowType>();
  const sites = [root];
  for (let site = sites.pop(); site !== undefined; site = sites.pop()) {
    for (const { type } of site.variants) {
      if (type === null || seen.has(type)) continue;
      seen.add(type);
      const elements = type.tensors?.elements.rows ?? [];
      if (elements.reduce((sum, bytes) => sum + bytes.length, 0) >= PADDED_SIZE) return true;
      for (const each of type.inside) sites.push(each);
    }
  }
  return false;
}
