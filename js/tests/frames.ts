/** The frames of zstd in vectors. */

import { HoldallError } from "../src/error.js";
import { decompress } from "../src/zstd.js";
import { readVector, type Vector } from "./checks.js";

/** The payload of each column in zstd, with the size that it states. */
export function frames(vectors: readonly Vector[]): [payload: Uint8Array, size: number][] {
  const found: [Uint8Array, number][] = [];
  for (const vector of vectors) {
    try {
      readVector(vector, undefined, (payload, size) => {
        found.push([payload.slice(), size]);
        return decompress(payload, size);
      });
    } catch (error) {
      if (!(error instanceof HoldallError)) throw error;
    }
  }
  return found;
}
