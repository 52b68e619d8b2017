/**
 * Where a row of a column is in the value, for errors: `$.users[3].name` (F-41). A column knows only its site and row, so the
 * path is built upwards: at each site around it, the row is found that contains the current one.
 */

import { HoldallError, inRow, rowOf } from "../error.js";
import { nameText } from "../schema/text.js";
import * as T from "../schema/types.js";
import type { Block, Site } from "./read.js";
import { shapeOf } from "./shapes.js";

/** A site, and the number of the type inside it that leads to the column. */
export type Step = readonly [site: Site, inside: number];

/** The path of a row at the end of steps from a definition, or from the root (-1). Without a row, an item is `[]`. */
export function pathText(steps: readonly Step[], end: number | undefined, definition: number): string {
  const texts: string[] = [];
  let row = end;
  for (let i = steps.length - 1; i >= 0; i--) {
    const [site, inside] = steps[i]!;
    const [text, above] = stepUp(site, inside, row);
    texts.push(text);
    row = above;
  }
  texts.push(definition < 0 ? "$" : `#${definition}[${row ?? ""}]`);
  return texts.reverse().join("");
}

/** The step into a field: `.name`, or `["odd name"]`. */
export function fieldText(name: string): string {
  const text = nameText(name.length > 100 ? `${name.slice(0, 100)}...` : name);
  return text.startsWith('"') ? `[${text}]` : `.${text}`;
}

/** The step from a row of a type into the type inside it of a number: to its item or entry of a number, if it has some. */
export function stepText(type: T.Type, inside: number, item: number | ""): string {
  switch (type.code) {
    case T.LIST:
    case T.ARRAY:
      return `[${item}]`;
    case T.MAP:
      return inside === 0 ? `[${item}].key` : `[${item}]`;
    case T.TUPLE:
      return `[${inside}]`;
    case T.RECORD:
    case T.STRUCT:
      return fieldText(type.fields[inside]!.name);
    case T.UNION:
      return type.named ? `<${type.variants[inside]!.name}>` : "";
    default:
      return "";
  }
}

/** The step from a row of a site to its row of the site inside, and that row. */
function stepUp(site: Site, inside: number, row: number | undefined): [string, number | undefined] {
  const { type, data, n } = site;
  const numbers = data as ArrayLike<number> | undefined;
  let item: number | "" = "";
  let above = row;
  /** How many rows inside belong to a row. */
  const count = (i: number): number => {
    switch (type.code) {
      case T.OPTION:
        return numbers![i]!;
      case T.UNION:
        return numbers === undefined || numbers[i] === inside ? 1 : 0;
      case T.ARRAY:
        return type.size;
      case T.LIST:
      case T.MAP:
        return numbers![i]!;
      case T.RECORD:
      case T.STRUCT:
        if (type.form !== T.FORM_ALL) return Array.prototype.includes.call(shapeOf(site, type, i), inside) ? 1 : 0;
    }
    return 1;
  };
  if (row !== undefined) {
    let i = 0;
    for (let left = row; i < n; left -= count(i++)) {
      if (left < count(i)) {
        item = left;
        break;
      }
    }
    above = i < n ? i : undefined;
  }
  return [stepText(type, inside, item), above];
}

/** Where a fault of values is that was found after the columns were read. */
const places: WeakMap<HoldallError, Site> = /* @__PURE__ */ new WeakMap();

/** Notes the innermost site in whose values an error was found. */
export function notePlace(error: HoldallError, site: Site): void {
  if (!places.has(error)) places.set(error, site);
}

/** Notes the entry of a map whose entries begin at a row. */
export function inEntry(error: HoldallError, map: Site, start: number): HoldallError {
  notePlace(error, map.inside[1]!);
  return inRow(error, start + rowOf(error)!);
}

/** The error with the path of the site that was noted. */
export function withPlace(error: unknown, block: Block): unknown {
  if (!(error instanceof HoldallError) || error.path !== undefined) return error;
  const site = places.get(error);
  if (site === undefined) return error;
  for (let i = -1; i < block.definitions.length; i++) {
    const steps = stepsTo(i < 0 ? block.root : block.definitions[i]!, site);
    if (steps !== undefined) return error.with({ path: pathText(steps, rowOf(error), i) });
  }
  return error;
}

/** The steps to a site. Recurses on the nesting of the schema. */
function stepsTo(from: Site, to: Site): Step[] | undefined {
  if (from === to) return [];
  for (let i = 0; i < from.inside.length; i++) {
    const rest = stepsTo(from.inside[i]!, to);
    if (rest !== undefined) return [[from, i], ...rest];
  }
  return undefined;
}
