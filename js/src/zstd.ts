/** A decoder of zstd frames (RFC 8878), as columns (F-60) and messages with a dictionary (F-101) contain them. */

import { decompressFrame, NO_TABLES } from "./zstd/frame.js";
import { readHeader } from "./zstd/header.js";

export { Dictionary } from "./zstd/dictionary.js";

/** Returns the content of one zstd frame of `size` bytes, or undefined if the payload is not such a frame. */
export function decompress(payload: Uint8Array, size: number): Uint8Array | undefined {
  try {
    const header = readHeader(payload);
    return header.size === size ? decompressFrame(payload, header, NO_TABLES) : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
