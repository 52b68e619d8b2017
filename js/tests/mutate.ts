/** Random changes of messages. */

import { bytesOf, vectors } from "./vectors.js";

/** Numbers that repeat from run to run (mulberry32). */
export function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

export function mutate(bytes: Uint8Array, next: (below: number) => number): Uint8Array {
  const changed = [...bytes];
  for (let i = next(3); i >= 0; i--) {
    const at = next(changed.length);
    const kind = next(6);
    if (kind < 3) changed[at] = changed[at]! ^ (1 << next(8));
    else if (kind === 3) changed[at] = next(256);
    else if (kind === 4) changed.splice(at, 1);
    else changed.splice(at, 0, next(256));
    if (changed.length === 0) changed.push(0);
  }
  return Uint8Array.from(changed);
}

/** Messages of all kinds that are valid and not large. */
export function messages(): Uint8Array[] {
  return vectors("valid")
    .filter(
      (vector) =>
        (vector.form ?? "message") === "message" && vector.schema_hex === undefined && vector.hex.length < 900,
    )
    .map((vector) => bytesOf(vector.hex));
}
