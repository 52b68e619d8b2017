/** The path of a reader's errors (F-41). The vectors in `conformance/invalid` have more. */

import { expect, test } from "vitest";
import { dumps, HoldallError, loads, open, type ReadOptions } from "../src/index.js";
import { Reader, Writer } from "../src/stream.js";

function pathOf(run: () => unknown): [string, string | undefined] {
  try {
    run();
  } catch (error) {
    if (error instanceof HoldallError) return [error.code, error.path];
    throw error;
  }
  return ["none", undefined];
}

/** The message of a value, of which the last byte FE in a text is made one that is not UTF-8. */
function damaged(value: unknown): Uint8Array {
  const bytes = dumps(value, { profile: "fast" });
  bytes[bytes.lastIndexOf("~".charCodeAt(0))] = 0xff;
  return bytes;
}

test.each<[unknown, string]>([
  [{ users: [{ name: "Ada" }, { name: "Bob" }, { name: "C" }, { name: "~" }, { name: "E" }] }, "$.users[3].name"],
  [[{ a: null }, { a: "x" }, { a: null }, { a: "~" }], "$[3].a"],
  [[{ b: 1 }, { a: "x" }, { b: 1, a: "~" }], "$[2].a"],
  [[1, "a", 2, "~"], "$[3]"],
  [[[], ["a"], [], ["b", "~"]], "$[3][1]"],
  [
    new Map<unknown, unknown>([
      [1, "a"],
      [2, "~"],
    ]),
    "$[1]",
  ],
  [new Map([["~", 1]]), "$[0].key"],
  [{ "odd name": "~" }, '$["odd name"]'],
])("names the row of a text that is not UTF-8: %j", (value, path) => {
  expect(pathOf(() => loads(damaged(value)))).toEqual(["invalid_utf8", path]);
  const bytes = damaged(value);
  expect(pathOf(() => open(bytes))).toEqual(["invalid_utf8", path]);
});

test("names the row inside a definition", () => {
  const shared = { name: "~" };
  expect(pathOf(() => loads(damaged([{ name: "a" }, shared, shared])))).toEqual(["invalid_utf8", "#0[1].name"]);
});

test("names the integer that is no safe number", () => {
  const bytes = dumps([{ n: 1n }, { n: 2n ** 60n }]);
  const options: ReadOptions = { int: "number" };
  expect(pathOf(() => loads(bytes, options))).toEqual(["unrepresentable", "$[1].n"]);
  expect(pathOf(() => open(bytes, options).column("n"))).toEqual(["unrepresentable", "$[1].n"]);
});

test("names the place in a value of a stream", async () => {
  const chunks: Uint8Array[] = [];
  const writer = new Writer(chunks, { sync: new Uint8Array(8).fill(7) });
  for (const n of [1n, 2n, 2n ** 60n]) await writer.write({ a: [n] });
  await writer.close();
  const read = async () => {
    for await (const _ of new Reader(chunks, { int: "number" }));
  };
  await expect(read()).rejects.toMatchObject({ code: "unrepresentable", path: "$.a[0]" });
});

test("names the site where a column is cut off", () => {
  const bytes = dumps({ a: [1, 2, 3], b: "text" });
  expect(pathOf(() => loads(bytes.slice(0, -1)))).toEqual(["truncated", "$.b"]);
});
