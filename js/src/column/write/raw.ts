/** Raw (F-94, F-43): rows of fixed, and the elements of tensors. */

import type { Output } from "../../kernel/output.js";

const RAW = 0x48;
/** Payloads of fewer bytes have no encoding byte. */
const ENCODED_SIZE = 64;
const PADDED_SIZE = 4096;

export function writeRaw(out: Output, rows: readonly Uint8Array[], count = rows.length): void {
  let size = 0;
  for (let i = 0; i < count; i++) size += rows[i]!.length;
  if (size >= ENCODED_SIZE) out.byte(RAW);
  if (size >= PADDED_SIZE) out.align();
  for (let i = 0; i < count; i++) out.defer(rows[i]!);
}
