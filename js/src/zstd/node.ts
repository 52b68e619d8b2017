/** `holdall/zstd` for Node, Deno and Bun: the decoder of `node:zlib` where it has one, from Node 22.15 on. */

import * as zlib from "node:zlib";
import { decompress as portable } from "../zstd.js";
import { checkEnd, readHeader } from "./header.js";

export { Dictionary } from "./dictionary.js";

type Decoder = (frame: Uint8Array, options: { maxOutputLength: number }) => Uint8Array;

const { zstdDecompressSync } = zlib as { readonly zstdDecompressSync?: Decoder };

/** Returns the content of one zstd frame of `size` bytes, or undefined if the payload is not such a frame. */
export function decompress(payload: Uint8Array, size: number): Uint8Array | undefined {
  if (zstdDecompressSync === undefined) return portable(payload, size);
  // It takes several frames, and skips some.
  if (!isFrame(payload, size)) return undefined;
  try {
    const content = zstdDecompressSync(payload, { maxOutputLength: size });
    return content.length === size ? new Uint8Array(content.buffer, content.byteOffset, size) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the bytes are one frame of `size` bytes and no more, as far as headers say. */
function isFrame(bytes: Uint8Array, size: number): boolean {
  try {
    const header = readHeader(bytes);
    checkEnd(bytes, header);
    return header.size === size;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
