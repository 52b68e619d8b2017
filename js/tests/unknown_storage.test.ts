/** Logical values whose storage is of a later version's encoding (F-77) stay what they are in data, and are refused by writers. */

import { Temporal } from "temporal-polyfill";
import { expect, test } from "vitest";
import { dumps, Logical, loads, open, UNKNOWN } from "../src/index.js";
import * as kinds from "../src/schema/logical.js";
import * as types from "../src/schema/types.js";
import { temporal } from "../src/temporal.js";
import { bytesOf } from "./vectors.js";

const hex = (...bytes: number[]): string => Buffer.from(bytes).toString("hex");

/** A list of 4 values of a kind; the columns are of an encoding of a later version, without payload. */
function message(kind: number, parameters: number[], storage: string, columns: string): Uint8Array {
  const type = hex(types.LOGICAL, kind, 2 * parameters.length, ...parameters) + storage;
  return bytesOf(`c110${hex(types.LIST)}${type}08${columns}`);
}

const LATER = "e100";
const INT = hex(types.INT);

test.each<[string, Uint8Array]>([
  ["date", message(kinds.DATE, [], INT, LATER)],
  ["duration", message(kinds.DURATION, [3], INT, LATER)],
  ["timestamp of utc", message(kinds.TIMESTAMP, [1, 1], INT, LATER)],
  [
    "timestamp of a zone",
    message(kinds.TIMESTAMP, [3, 3], hex(types.TUPLE, 4) + INT + hex(types.STRING), LATER + LATER),
  ],
  ["byte array", message(kinds.BYTE_ARRAY, [], hex(types.BYTES), LATER)],
  ["text", message(kinds.WTF8, [], hex(types.BYTES), LATER)],
  ["url", message(kinds.URL_KIND, [], hex(types.STRING), LATER)],
  ["path", message(kinds.PATH, [0, 0], hex(types.STRING), LATER)],
  ["rational", message(kinds.RATIONAL, [], hex(types.TUPLE, 4) + INT + INT, LATER + LATER)],
])("a %s", (_, bytes) => {
  for (const values of [
    loads(bytes),
    loads(bytes, { temporal: temporal(Temporal) }),
    Array.from(open(bytes).column("")),
  ] as unknown[][]) {
    expect(values.length).toBe(4);
    const [value] = values;
    expect(value).toBeInstanceOf(Logical);
    const { storage } = value as Logical;
    expect(Array.isArray(storage) ? storage : [storage]).toContain(UNKNOWN);
    expect(() => dumps(values)).toThrow(expect.objectContaining({ code: "unsupported_value", path: "$[0]" }));
  }
});
