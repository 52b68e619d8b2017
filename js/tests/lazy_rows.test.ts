/** Rows of views are the values that `loads` gives, made field by field. */

import { describe, expect, test } from "vitest";
import { dumps, Exact, loads, open, Record, type Row, type View } from "../src/index.js";
import { Decoder, parseSchema } from "../src/message/read.js";
import { decompress } from "../src/zstd.js";
import { bytesOf, type Vector, vectors } from "./vectors.js";

/** The items of a list of records or structs; undefined for other values. */
function records(value: unknown): { readonly [field: string]: unknown }[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const fields = value.map((item) => (item instanceof Record ? item.fields : item));
  const isPlain = (item: unknown) => Object.getPrototypeOf(item ?? 0) === Object.prototype;
  return fields.every(isPlain) ? fields : undefined;
}

/** The fields of a row in the order of its prototype. */
function touched(row: Row): object {
  const names: string[] = [];
  for (const name in row) names.push(name);
  return Object.fromEntries(names.map((name) => [name, row[name]]));
}

const options = (vector: Vector) => ({
  budget: vector.budget,
  schemas: vector.schema_hex === undefined ? [] : [parseSchema(bytesOf(vector.schema_hex))],
  zstd: decompress,
});

const lists = ["valid", "large"]
  .flatMap((folder) => vectors(folder))
  .filter((vector) => (vector.form ?? "message") === "message" && vector.hex !== undefined)
  .flatMap((vector) => {
    const found = records(new Decoder(options(vector)).loads(bytesOf(vector.hex)));
    return found === undefined ? [] : [[vector.name, vector, found] as const];
  });

test("many vectors are lists of records", () => {
  expect(lists.length).toBeGreaterThan(50);
});

test.each(lists)("the vector %s has the rows of loads", (_, vector, expected) => {
  const { rows } = open(bytesOf(vector.hex), options(vector));
  expect(rows.length).toBe(expected.length);
  expected.forEach((item, i) => {
    const row = rows.at(i)! as Row | Record;
    const fields = row instanceof Record ? row.fields : touched(row);
    expect(fields).toEqual(item);
    expect(Object.keys(fields)).toEqual(Object.keys(item));
  });
});

describe("rows of several shapes", () => {
  const values = Array.from({ length: 90 }, (_, i) => ({
    ...(i % 3 === 1 ? { b: `b${i}`, a: i } : { a: i }),
    ...(i % 3 === 2 ? { c: { x: i } } : {}),
  }));

  test("have getters of the fields of their shape, in its order", () => {
    const { rows } = open(dumps(values));
    values.forEach((value, i) => {
      const row = rows.at(i)!;
      expect(Object.keys(row)).toEqual([]);
      expect(touched(row)).toEqual(value);
      expect(JSON.stringify(row)).toBe(JSON.stringify(value));
      expect("b" in row).toBe("b" in value);
    });
  });

  test("and of one shape are made without making other fields", () => {
    for (const rows of [values, values.map(({ a }) => ({ a, c: "x" }))]) {
      const bytes = dumps(rows.map((row, i) => ({ ...row, bad: i })));
      const view = open(bytes, { int: "number" });
      const made = sitesMade(view);
      expect(made()).toBe(0);
      expect(view.rows.at(3)!["a"]).toBe(3);
      expect(made()).toBe(1);
      expect(view.rows.at(4)!["a"]).toBe(4);
      expect(made()).toBe(1);
    }
  });

  test("of an integer that does not fit fail where they are touched alone", () => {
    const bytes = dumps(Array.from({ length: 9 }, (_, i) => ({ id: i, big: new Exact("u64", 2n ** 60n) })));
    const row = open(bytes, { int: "number" }).rows.at(5)!;
    expect(row["id"]).toBe(5);
    expect(() => row["big"]).toThrow(expect.objectContaining({ code: "unrepresentable" }));
    expect(() => loads(bytes, { int: "number" })).toThrow(expect.objectContaining({ code: "unrepresentable" }));
  });
});

/** How many columns a view has made values of. */
function sitesMade(view: View): () => number {
  const [part] = (view as unknown as { parts: { made: Map<unknown, unknown> }[] }).parts;
  return () => part!.made.size;
}

test("fields with the names of an object's own are getters too", () => {
  const values = [1, 2].map((i) => JSON.parse(`{"__proto__": ${i}, "constructor": "x", "toJSON": ${i}, "7": true}`));
  const rows = [...open(dumps(values)).rows];
  expect(rows.map((row) => [Reflect.get(row, "__proto__"), row["constructor"], row["toJSON"], row["7"]])).toEqual([
    [1, "x", 1, true],
    [2, "x", 2, true],
  ]);
  expect(Object.getPrototypeOf({})).toBe(Object.prototype);
});
