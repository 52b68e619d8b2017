/** The order in which definitions can be made: each after those that it contains. */

import * as T from "../schema/types.js";
import type { Site } from "./read.js";

/** The definitions in an order, without those that can contain themselves or contain such. */
export function orderOf(sites: readonly Site[]): { order: number[]; cyclic: Set<number> } {
  const users: number[][] = sites.map(() => []);
  const left = sites.map((site, i) => {
    const needs = neededBy(site, new Set<number>());
    for (const need of needs) users[need]!.push(i);
    return needs.size;
  });
  const order = left.flatMap((count, i) => (count === 0 ? [i] : []));
  for (let i = 0; i < order.length; i++) {
    for (const user of users[order[i]!]!) if (--left[user]! === 0) order.push(user);
  }
  const cyclic = new Set(sites.keys());
  for (const i of order) cyclic.delete(i);
  return { order, cyclic };
}

function neededBy(site: Site, into: Set<number>): Set<number> {
  if (site.n > 0 && (site.type.code === T.DEF || site.type.code === T.SHARED)) into.add(site.type.index);
  for (const inside of site.inside) neededBy(inside, into);
  return into;
}
