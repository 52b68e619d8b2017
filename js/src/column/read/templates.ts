/** Templates of text and the numbers in their slots (F-98). */

import { fault, inRow } from "../../error.js";
import type { Input } from "../../kernel/input.js";
import { decodeUtf8 } from "../../kernel/utf8.js";
import { readInner } from "./inner.js";

interface Template {
  /** The bytes before, between and after the slots. */
  readonly pieces: Uint8Array[];
  /** The first byte of each slot, and its w. */
  readonly slots: (readonly [byte: number, w: number])[];
}

/** The rows whose templates are these texts. */
export function readTemplates(
  input: Input,
  texts: Uint8Array[],
  textsAt: number,
  start: number,
  utf8: boolean,
): (string | Uint8Array)[] {
  // Rows of one dictionary entry have the same array.
  const known = new Map<Uint8Array, Template>();
  const templates = texts.map((text) => {
    let template = known.get(text);
    if (template === undefined) known.set(text, (template = parse(text, textsAt)));
    return template;
  });
  let at = input.pos;
  const columns = input.varint();
  let most = 0;
  for (const template of known.values()) most = Math.max(most, template.slots.length);
  if (columns !== most) throw fault("bad_templates", at);

  const digits: string[][] = texts.map(() => []);
  let size = 0;
  for (const template of templates) for (const piece of template.pieces) size += piece.length;
  for (let j = 0; j < columns; j++) {
    at = input.pos;
    const count = input.varint();
    const rows: number[] = [];
    for (let i = 0; i < templates.length; i++) if (templates[i]!.slots.length > j) rows.push(i);
    if (count !== rows.length) throw fault("bad_templates", at);
    input.charge(8 * count, at);
    at = input.pos;
    const numbers = readInner(input, count);
    for (let i = 0; i < count; i++) {
      const row = rows[i]!;
      const [byte, w] = templates[row]!.slots[j]!;
      const text = numbers[i]!.toString(byte < 0xfa ? 10 : 16);
      if (byte > 0xf8 && text.length > w) throw fault("bad_templates", at);
      size += Math.max(w, text.length);
      digits[row]!.push((byte === 0xfb ? text.toUpperCase() : text).padStart(w, "0"));
    }
  }
  input.charge(size, start);
  if (utf8) return fillStrings(templates, digits, start);
  return templates.map((template, i) => fillBytes(template, digits[i]!));
}

function parse(text: Uint8Array, at: number): Template {
  const pieces: Uint8Array[] = [];
  const slots: [number, number][] = [];
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    const byte = text[i]!;
    if (byte < 0xf8 || byte > 0xfb) continue;
    pieces.push(text.subarray(from, i));
    let w = 0;
    if (byte > 0xf8) {
      w = text[++i] ?? 0;
      if (w < 1 || w > (byte === 0xf9 ? 19 : 16)) throw fault("bad_templates", at);
    }
    slots.push([byte, w]);
    from = i + 1;
  }
  pieces.push(text.subarray(from));
  return { pieces, slots };
}

/** Digits are ASCII, so a row is UTF-8 if its pieces are. */
function fillStrings(templates: Template[], digits: string[][], start: number): string[] {
  const known = new Map<Template, string[]>();
  return templates.map((template, i) => {
    let pieces = known.get(template);
    if (pieces === undefined) {
      pieces = template.pieces.map((piece) => {
        const text = decodeUtf8(piece, 0, piece.length);
        if (text === undefined) throw inRow(fault("invalid_utf8", start), i);
        return text;
      });
      known.set(template, pieces);
    }
    const numbers = digits[i]!;
    let row = pieces[0]!;
    for (let j = 0; j < numbers.length; j++) row += numbers[j]! + pieces[j + 1]!;
    return row;
  });
}

function fillBytes(template: Template, digits: string[]): Uint8Array {
  const row: number[] = [...template.pieces[0]!];
  digits.forEach((text, j) => {
    for (let i = 0; i < text.length; i++) row.push(text.charCodeAt(i));
    for (const byte of template.pieces[j + 1]!) row.push(byte);
  });
  return Uint8Array.from(row);
}
