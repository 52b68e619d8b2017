/** Raw (F-94): rows of a fixed number of bytes. */

import { fault, inRow } from "../../error.js";
import { asBytes, type Input } from "../../kernel/input.js";
import { badBool, valueWidth } from "../../schema/packable.js";
import * as T from "../../schema/types.js";
import { readEncoded } from "./encoded.js";
import { readEncodedFloats } from "./floats.js";
import { readEncodedInts } from "./ints.js";

/**
 * Reads n rows of a packable type one after the other. `element` is the type of a tensor's elements, whose columns can also
 * be those of integers or floats.
 */
export function readRaw(input: Input, n: number, type: T.Type, element: T.Type | undefined = undefined): Uint8Array {
  const width = valueWidth(type);
  const size = n * width;
  const start = input.pos;
  const stored = size < 64 || input.bytes[start] === 0x48;
  const read = (): Uint8Array => {
    if (size < 64) return slice(input, input.take(size), size);
    return readEncoded(input, (inside, encoding, at) => {
      if (encoding === 0x48) return slice(inside, inside.takePadded(size), size);
      inside.charge(size, at);
      if (encoding === 0x49) return readPlanes(inside, n, width);
      const code = numberCode(element);
      if (code === undefined) return undefined;
      if (code >= T.F16) {
        const rows = readEncodedFloats(inside, code, n, encoding);
        return rows && asBytes(rows);
      }
      const rows = readEncodedInts(inside, code, n, encoding, at);
      return rows && intBytes(rows, width);
    });
  };
  const bytes = read();
  const bad = badBool(type, bytes);
  if (bad >= 0) throw inRow(fault("bad_bool", stored ? input.pos - size + bad : start), Math.floor(bad / width));
  return bytes;
}

function slice(input: Input, at: number, size: number): Uint8Array {
  return input.bytes.subarray(at, at + size);
}

/** The code of the integer or float that elements are, also in a logical type or an extension. */
function numberCode(type: T.Type | undefined): number | undefined {
  if (type?.code === T.LOGICAL) return numberCode(type.storage);
  if (type?.code === T.EXTENSION) return numberCode(type.item);
  return type !== undefined && type.code >= T.INT && type.code <= T.F64 ? type.code : undefined;
}

function intBytes(rows: ArrayLike<number | bigint>, width: number): Uint8Array {
  const bytes = new Uint8Array(rows.length * width);
  for (let i = 0; i < rows.length; i++) {
    let row = rows[i]!;
    const at = i * width;
    if (typeof row === "number" && width <= 4) {
      for (let j = 0; j < width; j++) bytes[at + j] = row >> (8 * j);
      continue;
    }
    row = BigInt(row);
    for (let j = 0; j < width; j++, row >>= 8n) bytes[at + j] = Number(row & 255n);
  }
  return bytes;
}

function readPlanes(input: Input, n: number, width: number): Uint8Array {
  const rows = new Uint8Array(n * width);
  for (let plane = 0; plane < width; plane++) {
    const at = input.pos;
    const marker = input.byte();
    if (marker > 1) throw fault("bad_planes", at);
    const from = input.take(marker === 1 ? 1 : n);
    const step = marker === 1 ? 0 : 1;
    for (let i = 0; i < n; i++) rows[i * width + plane] = input.bytes[from + i * step]!;
  }
  return rows;
}
