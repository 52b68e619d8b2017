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
const LONGEST_KEY = 4096;

/** Sites in which no row has a choice: if the next value gives rows to all of them and to no other, it has the same schema. */
export class Plan {
  readonly sites: Site[] = [];
  private readonly types: RowType[] = [];
  /** The keys of its values, once it is kept. */
  key: string | undefined = undefined;
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

  /** Forgets the rows, so that the value is not kept in memory. */
  empty(): void {
    for (const site of this.sites) site.empty();
    for (const type of this.types) type.empty();
  }

  /** Takes a value; false if its schema is another one. */
  take(value: unknown): boolean {
    const { shredder, sites, types } = this;
    const { siteCount } = shredder.types;
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

  /** The plan that took the value; undefined if none fits. It is not kept until `keep`. */
  take(value: unknown): Plan | undefined {
    if (this.plans.size === 0) return undefined;
    const key = keyOf(value);
    const plan = key === undefined ? undefined : this.plans.get(key);
    // What a failure or another schema left in the sites must not be seen again.
    if (plan === undefined || !this.plans.delete(plan.key!)) return undefined;
    return plan.take(value) ? plan : undefined;
  }

  /** Keeps the sites of a message that is written, without its rows; false if they cannot be used again. */
  keep(value: unknown, plan: Plan): boolean {
    if (!plan.isUsable) return false;
    const key = (plan.key ??= keyOf(value));
    if (key === undefined) return false;
    if (this.plans.size >= MOST_KEPT) this.plans.clear();
    plan.empty();
    this.plans.set(key, plan);
    return true;
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
    // The keys of a typed array are its indices.
    if (typeof inner === "object" && inner !== null && !Array.isArray(inner) && !ArrayBuffer.isView(inner)) {
      for (const each in inner) {
        key += `,${each}`;
        if (key.length > LONGEST_KEY) return undefined;
      }
    }
    key += ";";
    if (key.length > LONGEST_KEY) return undefined;
  }
  return key;
}
