/** The frames of a stream (F-82 to F-90), as a writer makes them. */

import { HoldallError } from "../error.js";
import { crc32c } from "../kernel/crc32c.js";
import { Output } from "../kernel/output.js";
import { END, LARGEST_PAYLOAD, PREAMBLE } from "./frame.js";

/** Makes frames with their numbers, and remembers what the index says of them. */
export class FrameWriter {
  constructor(
    readonly sync: Uint8Array,
    /** Of each frame so far its length, divided by 8, and its roots. */
    private readonly index: [length: number, roots: number][] = [],
  ) {
    if (sync.length !== 8) throw new TypeError(`sync must be 8 bytes, not ${sync.length}`);
  }

  preamble(): Uint8Array {
    return Uint8Array.from([...PREAMBLE, ...this.sync]);
  }

  /** A frame (F-82). The schema is a fingerprint, or 0. */
  frame(kind: number, payload: Uint8Array, schema = 0n, roots = 0): Uint8Array {
    if (payload.length > LARGEST_PAYLOAD) {
      throw new HoldallError("limit_output", { expected: `at most ${LARGEST_PAYLOAD} bytes in a frame`, got: "more" });
    }
    const out = new Output(payload.length + 48);
    out.write(this.sync);
    out.byte(kind);
    out.little(payload.length, 6);
    out.little(this.index.length, 5);
    for (let i = 0n; i < 64n; i += 8n) out.byte(Number((schema >> i) & 255n));
    const head = out.length;
    out.little(crc32c(out.bytes, 0, head), 4);
    out.write(payload);
    out.zeros((8 - ((out.length + 4) % 8)) % 8);
    // Of all bytes before it, without the checksum of the head.
    out.little(crc32c(out.bytes, head + 4, out.length, crc32c(out.bytes, 0, head)), 4);
    this.index.push([out.length / 8, roots]);
    return out.bytes.subarray(0, out.length);
  }

  /** The end (F-88): an index of all frames before it. */
  end(): Uint8Array {
    const out = new Output(64);
    out.varint(this.index.length);
    let offset = 16;
    for (const [length, roots] of this.index) {
      out.varint(length);
      out.varint(roots);
      offset += 8 * length;
    }
    // The length is 4 more than a multiple of 8, of which the offset takes 8.
    out.zeros((12 - (out.length % 8)) % 8);
    out.little(offset, 8);
    return this.frame(END, out.bytes.subarray(0, out.length));
  }
}
