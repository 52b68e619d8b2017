/** Lists of a few numbers in a list, such as the points of a line. */

import type { NumberRows } from "../column/write/numbers.js";
import type { Seen } from "./identity.js";
import { isInteger } from "./scalars.js";
import type { Site } from "./sites.js";

/** Longer lists are added by `addScalars` in about the same time. */
const MAX_LIST_ADDED_HERE = 16;

/**
 * Adds lists of a few numbers, all integers or all floats, as rows of the site; the place of the first other item, or `end`.
 * Without a frame for each, 56,000 pairs of floats take 0.6 of the time.
 */
export function addNumberLists(
  site: Site,
  items: ArrayLike<unknown>,
  start: number,
  end: number,
  seen: Seen | undefined,
): number {
  const variant = site.list;
  if (variant === undefined) return start;
  const { type } = variant;
  const inside = type.inside[0]!;
  let at = start;
  for (; at < end; at++) {
    const list = items[at];
    if (!Array.isArray(list) || Object.getPrototypeOf(list) !== Array.prototype || list.length > MAX_LIST_ADDED_HERE)
      break;
    const isInts = isInteger(list[0]);
    const numbers = isInts ? inside.int : inside.float;
    if (numbers === undefined || !appendNumbers(numbers.rows, list, isInts)) break;
    // A list that occurs twice is found again by the caller, who makes it a reference.
    if (seen !== undefined && seen.add(list) >= 0) break;
    seen?.begin(type, type.count + at - start);
    const { length } = list;
    numbers.rows.length += length;
    inside.markRun(numbers, length);
    type.numbers.push(length);
  }
  const count = at - start;
  site.markRun(variant, count);
  variant.references?.pushRun(0, count);
  variant.count += count;
  type.count += count;
  return at;
}

/** Puts numbers behind the rows of a column, which do not count yet; false if they are not all numbers of its kind. */
function appendNumbers(column: NumberRows, list: readonly unknown[], isInts: boolean): boolean {
  column.reserve(list.length);
  const { rows, length } = column;
  for (let i = 0; i < list.length; i++) {
    const item = list[i];
    if (typeof item !== "number" || isInteger(item) !== isInts) return false;
    rows[length + i] = item;
  }
  return true;
}
