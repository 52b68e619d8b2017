/** The row type of a value's row (F-47), gathering (F-51), and the sites of a message (F-52). */

import { LATER } from "../schema/types.js";
import { type RowKind, RowType, RowVariant, Site } from "./sites.js";

export const MOST_SITES = 16384;
export const MOST_FIELDS = 256;
const GATHERING_DEPTH = 32;

/** Whether F-72's table says what the storage is. A kind from E0 on is treated like an extension. */
export function isKnownLogical(what: RowKind): boolean {
  return what.kind === "logical" && what.size! < LATER;
}

/** The row types and sites that a message has so far. */
export class RowTypes {
  /** F-52. */
  siteCount = 0;
  /** F-47: a message has one struct type for each name. */
  readonly structs = new Map<string, RowType>();
  /** F-51: one gathered type of each kind. */
  readonly gathered = new Map<string, RowType>();
  readonly root = this.newSite(0, undefined);

  private newSite(depth: number, madeIn: RowType | undefined): Site {
    this.siteCount++;
    return new Site(depth, madeIn, madeIn !== undefined && isKnownLogical(madeIn.what));
  }

  /** New sites inside a row type. */
  addSites(type: RowType, count: number): void {
    for (let i = 0; i < count; i++) type.inside.push(this.newSite(type.innerDepth, type));
  }

  /** A new field or variant, with its site. */
  addName(type: RowType, name: string): void {
    type.names.set(name, type.names.size);
    this.addSites(type, 1);
  }

  /** Whether the structs of another message have room in those of this one (F-52). */
  hasRoomFor(others: RowTypes): boolean {
    for (const [key, { names }] of others.structs) {
      const known = this.structs.get(key)?.names;
      if (known === undefined) continue;
      let count = known.size;
      for (const name of names.keys()) if (!known.has(name)) count++;
      if (count > MOST_FIELDS) return false;
    }
    return true;
  }

  /** Whether a new row type is the gathered one at a site. */
  gathers(site: Site): boolean {
    return !site.isStorage && (site.depth >= GATHERING_DEPTH || this.siteCount >= MOST_SITES);
  }

  /** The site's variant of a kind, which is added if need be. */
  variant(site: Site, what: RowKind): RowVariant {
    const found = site.find(what.key);
    if (found !== undefined) return found as RowVariant;
    const variant = new RowVariant(what.kind === "struct" ? this.struct(what) : this.newRowType(site, what));
    site.add(variant);
    return variant;
  }

  /** A row type as a variant of one more site. */
  bind(type: RowType): RowVariant {
    return new RowVariant(type);
  }

  private struct(what: RowKind): RowType {
    let type = this.structs.get(what.key);
    if (type === undefined) {
      type = new RowType("struct", what.key, what, undefined, 0, false);
      this.structs.set(what.key, type);
    }
    return type;
  }

  private newRowType(site: Site, what: RowKind): RowType {
    let type: RowType | undefined;
    if (this.gathers(site)) {
      type = this.gathered.get(what.key);
      if (type !== undefined) return type;
      type = new RowType(what.kind, what.key, what, site, GATHERING_DEPTH, true);
      this.gathered.set(what.key, type);
    } else {
      // F-74: the storage of a logical value has the same depth as the value.
      const depth = site.depth + (isKnownLogical(what) ? 0 : 1);
      type = new RowType(what.kind, what.key, what, site, depth, false);
    }
    this.addSites(type, innerSites(what));
    return type;
  }
}

/** How many sites a new type has from the start (F-52). Those of names come with the names. */
export function innerSites(what: RowKind): number {
  switch (what.kind) {
    case "tuple":
      return what.size!;
    case "list":
    case "array":
    case "logical":
    case "extension":
      return 1;
    case "map":
      return 2;
    default:
      return 0;
  }
}
