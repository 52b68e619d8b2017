/**
 * The sites of earlier messages, into which an encoder takes the next one: to make and to write a schema takes most of the
 * time of a small message. If the value turns out to have another schema, the caller starts from scratch.
 */

import type { WrittenSchema } from "../schema/write.js";
import type { Shredder } from "./shredder.js";
import type { RowType, Site } from "./sites.js";

const MOST_KEPT = 32;
const MOST_SITES = 512;
/** Columns of more rows are not kept. */
const MOST_ROWS = 4096;

/** A schema in which every row decides alike, so that sites that all have rows again have the same schema again. */
class Plan {
  readonly sites: Site[] = [];
  private readonly types: RowType[] = [];
  /** Whether values of this schema can be taken again. */
  readonly isUsable: boolean;

  constructor(
    readonly shredder: Shredder,
    readonly schema: WrittenSchema,
  ) {
    this.isUsable =
      schema.definitions.length === 0 && shredder.types.siteCount <= MOST_SITES && this.collect(shredder.types.root);
  }

  /** Collects the sites; false if one has a choice that depends on the order of rows. */
  private collect(root: Site): boolean {
    const open = [root];
    for (let site = open.pop(); site !== undefined; site = open.pop()) {
      this.sites.push(site);
      const [variant, another] = site.variants;
      if (another !== undefined) return false;
      if (variant === undefined) continue;
      const { type } = variant;
      if (variant.count > MOST_ROWS) return false;
      if (type === null) continue;
      const isPlain = ["record", "list", "struct", "tuple", "logical", "extension"].includes(type.kind);
      if (!isPlain || type.isGathered || type.shapes.length > 1) return false;
      this.types.push(type);
      open.push(...type.inside);
    }
    return true;
  }

  /** Takes a value; false if its schema is another one. */
  take(value: unknown): boolean {
    const { shredder, sites, types } = this;
    const { siteCount } = shredder.types;
    for (const site of sites) site.empty();
    for (const type of types) type.empty();
    const shapes = types.map((type) => type.shapes.length);
    const nulls = sites.map((site) => site.presence !== undefined);
    const variants = sites.map((site) => site.variants.length);
    shredder.roots = 0;
    shredder.take(value);
    return (
      shredder.types.siteCount === siteCount &&
      types.every((type, i) => type.shapes.length === shapes[i] && type.count > 0 && !type.isShared) &&
      sites.every((site, i) => site.variants.length === variants[i] && site.isUsedAlike(nulls[i]!))
    );
  }
}

/** The plans of an encoder, by the keys of the values. */
export class KeptPlans {
  private readonly plans = new Map<string, Plan>();

  /** The shredder that took the value, and its schema; undefined if no plan fits. */
  take(key: string, value: unknown): { shredder: Shredder; schema: WrittenSchema } | undefined {
    const plan = this.plans.get(key);
    if (plan === undefined) return undefined;
    // What a failure or another schema left in the sites must not be seen again.
    this.plans.delete(key);
    if (!plan.take(value)) return undefined;
    this.plans.set(key, plan);
    return plan;
  }

  keep(key: string, shredder: Shredder, schema: WrittenSchema): void {
    const plan = new Plan(shredder, schema);
    if (!plan.isUsable) return;
    if (this.plans.size >= MOST_KEPT) this.plans.clear();
    this.plans.set(key, plan);
  }
}

/** The keys of a plain object and of the objects in it: values that have them in common mostly have one schema. */
export function keyOf(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) return undefined;
  let key = "";
  for (const name in value) {
    const inner = (value as { [name: string]: unknown })[name];
    key += name;
    if (typeof inner === "object" && inner !== null && !Array.isArray(inner)) {
      for (const each in inner) key += `,${each}`;
    }
    key += ";";
  }
  return key;
}
