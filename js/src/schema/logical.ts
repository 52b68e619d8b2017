/** The kinds of logical types (F-72): the bytes that each parameter may be, by their names in schema text, and the storage. */

export const DATE = 0x01;
export const TIME = 0x02;
export const TIMESTAMP = 0x03;
export const DURATION = 0x04;
export const DECIMAL = 0x05;
export const RATIONAL = 0x06;
export const COMPLEX = 0x07;
export const UUID = 0x08;
export const CHAR = 0x09;
export const SET = 0x0a;
export const FROZEN_SET = 0x0b;
export const LONG_TUPLE = 0x0c;
export const BYTE_ARRAY = 0x0d;
export const ORDERED_MAP = 0x0e;
export const BIT_VECTOR = 0x0f;
export const SYMBOL = 0x10;
export const PATH = 0x11;
export const URL_KIND = 0x12;
export const IP_ADDRESS = 0x13;
export const IP_NETWORK = 0x14;
export const REGULAR_EXPRESSION = 0x15;
export const RANGE = 0x16;
export const WTF8 = 0x17;

const UNITS = ["s", "ms", "us", "ns"];
const ZONES = ["local", "utc", "offset", "zone"];
const WIDTHS = { 4: "4", 8: "8" };
const VERSIONS = { 4: "4", 6: "6" };
const STYLES = ["any", "posix", "windows"];
const TEXTS = ["string", "bytes"];

/** The meaning of each value of a parameter. */
export type Meanings = { readonly [byte: number]: string };

/** The name of each kind, and for each parameter its meanings by byte. Index 0 is no kind. */
export const KINDS: readonly (readonly [name: string, ...parameters: Meanings[]])[] = [
  [""],
  ["date"],
  ["time", UNITS],
  ["timestamp", UNITS, ZONES],
  ["duration", UNITS],
  ["decimal"],
  ["rational"],
  ["complex", WIDTHS],
  ["uuid"],
  ["char"],
  ["set"],
  ["frozen_set"],
  ["long_tuple"],
  ["byte_array"],
  ["ordered_map"],
  ["bit_vector"],
  ["symbol"],
  ["path", STYLES, TEXTS],
  ["url"],
  ["ip_address", VERSIONS],
  ["ip_network", VERSIONS],
  ["regular_expression"],
  ["range"],
  ["wtf8_string"],
];
