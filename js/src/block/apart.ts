/** Members and keys that the format keeps apart and JavaScript does not: 1 and 1.0, 0 and -0, two NaNs. */

import { HoldallError } from "../error.js";

/** Adds members to a set; undefined if it takes two for one, or -0 for 0. */
export function fillSet<S extends Set<unknown>>(set: S, members: readonly unknown[]): S | undefined {
  for (const member of members) set.add(member);
  // A set has no -0.
  const isExact = set.size === members.length && !(set.has(0) && members.some((member) => Object.is(member, -0)));
  return isExact ? set : undefined;
}

/** The error of a set or map inside itself, for which there is no other form. */
export function notApart(what: string): HoldallError {
  return new HoldallError("unrepresentable", { got: `${what} that JavaScript takes for others, inside themselves` });
}
