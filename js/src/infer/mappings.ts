/** Which mappings become rows of a record and which of a map (F-49 to F-51). */

import { MOST_FIELDS, MOST_SITES, type RowTypes } from "./row_types.js";
import { type RowKind, type RowType, RowVariant, type Site } from "./sites.js";

export const RECORD: RowKind = { kind: "record", key: "record" };
export const MAP: RowKind = { kind: "map", key: "map" };
const UNDECIDED: RowKind = { kind: "undecided", key: "undecided" };

/** The site's variant for a mapping, which is added if need be. */
export function variantOfMapping(types: RowTypes, site: Site, keys: readonly string[]): RowVariant {
  return types.variant(site, kindOfMapping(types, site, keys));
}

function kindOfMapping(types: RowTypes, site: Site, keys: readonly string[]): RowKind {
  // F-74: an ordered map's storage is a map whatever its keys are.
  if (site.isStorage) return MAP;
  const { record } = site;
  const hasMap = site.find("map") !== undefined;
  if (keys.length === 0) {
    if (record !== undefined) return RECORD;
    if (hasMap) return MAP;
    return site.find("undecided") || !types.gathers(site) ? UNDECIDED : RECORD;
  }
  if (record !== undefined) return hasRoom(types, record.type, keys) ? RECORD : MAP;
  if (hasMap) return MAP;
  const becomesMap =
    keys.length > MOST_FIELDS || types.siteCount + keys.length > MOST_SITES || keys.every((key) => isData(key));
  const kind = becomesMap ? MAP : RECORD;
  const undecided = site.find("undecided") as RowVariant | undefined;
  if (undecided !== undefined) {
    decide(types, undecided.type, kind);
  } else if (!becomesMap) {
    const folded = fold(site, keys);
    if (folded !== undefined) {
      site.add(new RowVariant(folded));
    } else if (types.gathers(site)) {
      const gathered = types.gathered.get("record");
      if (gathered !== undefined && !hasRoom(types, gathered, keys)) return MAP;
    }
  }
  return kind;
}

/** F-49, 2. */
function hasRoom(types: RowTypes, record: RowType, keys: readonly string[]): boolean {
  let k = 0;
  for (const key of keys) if (!record.names.has(key)) k++;
  return k === 0 || (record.names.size + k <= MOST_FIELDS && types.siteCount + k <= MOST_SITES);
}

/** F-49, 4: an undecided variant becomes a record or map, and keeps its rows: with no fields, or no entries. */
function decide(types: RowTypes, type: RowType, what: RowKind): void {
  type.kind = what.kind;
  type.key = what.key;
  if (what === MAP) {
    // Its rows are zeros: of the shape without fields, and now of lengths.
    type.shapes.length = 0;
    type.start.shape = undefined;
    type.latest = undefined;
    types.addSites(type, 2);
  }
  for (const site of type.sites) site.renumber();
}

/** The record into which a mapping is folded (F-50). */
function fold(site: Site, keys: readonly string[]): RowType | undefined {
  for (let t = site.madeIn; t !== undefined; t = t.madeAt!.madeIn) {
    if (t.kind === "record" && t.findShape(keys) !== undefined) return t;
    if (t.kind === "struct" || t.isGathered) return undefined;
  }
  return undefined;
}

/** Whether a key is data (a number, date, address, hash or UUID) rather than a name (F-49). */
function isData(key: string): boolean {
  return /^(?=.*[0-9])([-0-9.:]{4,}|[-0-9.:a-fA-F]{8,})$/.test(key);
}
