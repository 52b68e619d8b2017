/** UTF-8 as Unicode defines it (F-16), and WTF-8, which may have lone surrogates (F-72). */

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/** What Node, Bun and Deno have for all bytes, even if they are no Buffer. */
const { latin1Slice, ucs2Slice } =
  (((globalThis as { Buffer?: unknown }).Buffer as typeof Uint8Array | undefined)?.prototype as never as {
    latin1Slice?: () => string;
    ucs2Slice?: () => string;
  }) ?? {};

const oneByte = new TextDecoder("latin1");

/** A text with one character for each byte; those of ASCII are right. */
export function latin1(bytes: Uint8Array): string {
  return latin1Slice === undefined ? oneByte.decode(bytes) : latin1Slice.call(bytes);
}

/** Whether there is a function for code units. */
export const hasUnits: boolean = ucs2Slice !== undefined;

/** The text of code units, given all bits of them: one byte a character where they allow it. */
export function textOf(units: Uint16Array, bits: number): string {
  return bits < 256
    ? latin1(new Uint8Array(units))
    : ucs2Slice!.call(new Uint8Array(units.buffer, 0, units.byteLength));
}

/** Up to this many bytes, a loop is faster than a call of TextDecoder (about 300 ns). */
const SHORT = 24;

/** The text of bytes, or undefined if they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array, start: number, end: number): string | undefined {
  if (end - start <= SHORT) {
    const text = shortAscii(bytes, start, end);
    if (text !== undefined) return text;
  }
  try {
    return strict.decode(bytes.subarray(start, end));
  } catch {
    return undefined;
  }
}

/** The text of a few bytes if all are ASCII. */
function shortAscii(bytes: Uint8Array, start: number, end: number): string | undefined {
  let text = "";
  for (let i = start; i < end; i++) {
    const byte = bytes[i]!;
    if (byte > 127) return undefined;
    text += String.fromCharCode(byte);
  }
  return text;
}

/** The bytes of a text without lone surrogates. */
export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** The text of WTF-8, or undefined if the bytes are not that: generalized UTF-8 without surrogate pairs in two parts. */
export function decodeWtf8(bytes: Uint8Array): string | undefined {
  const plain = decodeUtf8(bytes, 0, bytes.length);
  if (plain !== undefined) return plain;
  let text = "";
  let from = 0;
  for (let i = 0; i + 2 < bytes.length; i++) {
    // ED A0 to ED BF begin the three bytes of a surrogate.
    if (bytes[i] !== 0xed || bytes[i + 1]! < 0xa0) continue;
    const part = decodeUtf8(bytes, from, i);
    const second = bytes[i + 1]!;
    const third = bytes[i + 2]!;
    if (part === undefined || second > 0xbf || third >> 6 !== 2) return undefined;
    const unit = 0xd000 | ((second & 63) << 6) | (third & 63);
    const before = part === "" && from > 0 ? text.charCodeAt(text.length - 1) : 0;
    if (before >> 10 === 0x36 && unit >> 10 === 0x37) return undefined;
    text += part + String.fromCharCode(unit);
    from = i + 3;
    i += 2;
  }
  const rest = decodeUtf8(bytes, from, bytes.length);
  return rest === undefined ? undefined : text + rest;
}

/** The bytes of any text in WTF-8. */
export function encodeWtf8(text: string): Uint8Array {
  const parts: number[] = [];
  for (const character of text) {
    const point = character.codePointAt(0)!;
    if (point >> 11 === 0x1b) parts.push(0xed, 0x80 | ((point >> 6) & 63), 0x80 | (point & 63));
    else parts.push(...encoder.encode(character));
  }
  return Uint8Array.from(parts);
}
