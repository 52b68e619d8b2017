/** Data of another version are read by columns where no row can fail, with the values that are read row by row. */

import { describe, expect, test } from "vitest";
import { dumps, HoldallError, loads, Record, register } from "../src/index.js";
import { Schema } from "../src/schema.js";

/** The schema of a value with one more field, whose default is a constant, or a function: such rows are read one by one. */
function schemas(value: object[]): [Schema, Schema] {
  const bytes = dumps(value.map((row) => ({ ...row, more: 7 })));
  return [
    Schema.of(bytes, { defaults: [[null, "more", 7]] }),
    Schema.of(bytes, { defaults: [[null, "more", () => 7]] }),
  ];
}

const ROWS: [string, object[]][] = [
  ["scalars", [{ a: 1, b: "x", c: true, d: 0.5, e: null }]],
  [
    "many rows",
    Array.from({ length: 50 }, (_, i) => ({ a: i, b: i % 3 ? null : `t${i}`, c: i % 2 === 0, d: i + 0.5 })),
  ],
  [
    "lists",
    [
      { a: [1, 2], b: [["x"], []] },
      { a: [], b: [] },
      { a: [3], b: [["y", "z"]] },
    ],
  ],
  ["objects", [{ a: { x: 1, y: [{ z: null }] } }, { a: { x: 2, y: [{ z: "q" }, { z: null }] } }]],
  [
    "logical types",
    [
      { a: new Date(5), b: new Set([1]), c: /x/g },
      { a: new Date(6), b: new Set([2, 3]), c: /y/ },
    ],
  ],
  ["bytes", [{ a: Uint8Array.of(1, 2), b: new Record("P", { x: 1 }) }]],
  ["big integers", [{ a: 2n ** 70n }, { a: 1 }]],
  ["rows of several kinds", [{ a: 1 }, { a: "x" }, { a: [1] }]],
  ["rows of several fields", [{ a: 1 }, { b: 2 }, { a: 1, b: 2 }]],
  ["maps", [{ a: new Map([[1, "x"]]) }, { a: new Map() }]],
  ["no rows", []],
];

describe.each(ROWS)("%s", (_, rows) => {
  test.each(["auto", "bigint"] as const)("are the same, integers as %s", (int) => {
    const [byColumns, byRows] = schemas(rows);
    const bytes = dumps(rows);
    const values = loads(bytes, { schema: byColumns, int });
    expect(values).toEqual(loads(bytes, { schema: byRows, int }));
    expect(values).toHaveLength(rows.length);
  });
});

test("a row that does not fit has the error of reading row by row", () => {
  const schema = Schema.of(dumps([{ a: 1 }]));
  const read = () => loads(dumps([{ a: 1 }, { a: null }, { a: 2 }]), { schema });
  expect(read).toThrow(HoldallError);
  expect(read).toThrow(expect.objectContaining({ code: "unconvertible", path: "$[1].a" }));
});

test("the code of a class runs once for each object", () => {
  let made = 0;
  class Point {
    constructor(readonly x: number) {}
  }
  register(Point, {
    name: "columns.Point",
    encode: ({ x }) => ({ x }),
    decode: ({ x }: Point) => {
      made++;
      return new Point(x);
    },
  });
  const bytes = dumps([new Point(1), new Point(2)]);
  expect(loads(bytes, { schema: Schema.of(bytes) })).toEqual([new Point(1), new Point(2)]);
  expect(made).toBe(2);
});
