/** Typed arrays, holes, objects without a prototype, identity, integers, and classes that the program does not have. */

import { describe, expect, test } from "vitest";
import { dumps, Encoder, Extension, type HoldallError, loads, Record } from "../../src/index.js";

test.each([
  Int8Array.of(-1),
  Uint8Array.of(1),
  Int16Array.of(-300),
  Uint16Array.of(300),
  Int32Array.of(-70_000),
  Uint32Array.of(70_000),
  Float32Array.of(0.5, -0),
  Float64Array.of(Math.PI),
  BigInt64Array.of(-(2n ** 60n)),
  BigUint64Array.of(2n ** 63n),
  Uint8ClampedArray.of(255),
])("a typed array comes back as one of its class: %s", (array) => {
  for (const each of [array, array.subarray(1), array.slice(0, 0)]) {
    const back = loads(dumps([each])) as unknown[];
    expect(back[0]).toStrictEqual(each.slice());
    expect(back[0]!.constructor).toBe(array.constructor);
  }
});

test("holes are undefined, and an object without a prototype has one", () => {
  const holes: unknown[] = Array(3);
  holes[0] = 1;
  holes[2] = 2;
  expect(loads(dumps(holes))).toStrictEqual([1, undefined, 2]);
  const bare = Object.assign(Object.create(null), { a: 1 });
  expect(loads(dumps(bare))).toStrictEqual({ a: 1 });
});

test("objects of each kind keep their identity", () => {
  for (const one of [{}, [], new Map([[1, 2]]), new Set([1]), new Date(0), new Error("e"), new URL("a:b"), /a/]) {
    const [a, b] = loads(dumps([one, one])) as unknown[];
    expect(a).toBe(b);
  }
});

describe("lists that begin with a number", () => {
  test("keep their identity, however many are equal", () => {
    const lists = Array.from({ length: 3000 }, (_, i) => [i % 2, i % 3 === 0 ? "x" : 0.5]);
    const back = loads(dumps([...lists, ...lists])) as unknown[];
    expect(back.slice(0, 3000)).toEqual(lists);
    for (let i = 0; i < 3000; i++) expect(back[i]).toBe(back[3000 + i]);
    expect(new Set(back).size).toBe(3000);
  });

  test("may contain themselves", () => {
    const list: unknown[] = [1, -0];
    list.push({ list }, 2);
    const back = loads(dumps(list)) as [number, number, { list: unknown }, number];
    expect(back[2].list).toBe(back);
  });

  test("are found again in the next root of a writer alone", () => {
    const pairs = Array.from({ length: 100 }, (_, i) => [i, i]);
    const encoder = new Encoder();
    const once = encoder.encode(pairs);
    expect(encoder.encode([...pairs, ...pairs])).not.toEqual(once);
    expect(encoder.encode(pairs)).toEqual(once);
  });
});

test("rows of many shapes have the keys that they had, in their order", () => {
  const rows = Array.from({ length: 400 }, (_, i) => {
    const keys = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"].filter((_, j) => (i * 37 + 11) & (1 << j));
    return Object.fromEntries((i % 5 === 0 ? keys.reverse() : keys).map((key) => [key, i]));
  });
  expect(JSON.stringify(loads(dumps(rows)))).toBe(JSON.stringify(rows));
});

describe("an integer", () => {
  const large = 2n ** 53n;
  const bytes = dumps([1, large - 1n, large, -large, 2n ** 100n]);

  test("is a number where it is safe, and a bigint else, by default and with auto", () => {
    const read = [1, Number.MAX_SAFE_INTEGER, large, -large, 2n ** 100n];
    expect(loads(bytes)).toEqual(read);
    expect(loads(bytes, { int: "auto" })).toEqual(read);
  });

  test("is always a bigint with bigint", () => {
    expect(loads(bytes, { int: "bigint" })).toEqual([1n, large - 1n, large, -large, 2n ** 100n]);
    expect(loads(dumps({ a: 1 }), { int: "bigint" })).toEqual({ a: 1n });
  });

  test("is never rounded with number", () => {
    expect(loads(dumps([1, -1n]), { int: "number" })).toEqual([1, -1]);
    let error: HoldallError | undefined;
    try {
      loads(bytes, { int: "number" });
    } catch (thrown) {
      error = thrown as HoldallError;
    }
    expect([error?.code, error?.path, error?.got]).toEqual(["unrepresentable", "$[2]", `the integer ${large}`]);
  });
});

describe("classes that the program does not have", () => {
  const leaf = new Record("other.Leaf", { n: 1 });
  const inside = new Record<{ [field: string]: unknown }>("other.Node", { left: leaf, right: null });
  inside.fields["right"] = inside;
  const values: { readonly [name: string]: unknown } = {
    "fields in another order": [
      new Record("other.Row", { a: 1, b: 2 }),
      new Record("other.Row", { b: 2, a: 1 }),
      new Record("other.Row", { c: "x" }),
    ],
    "in sets, maps and each other": new Set([leaf, new Map([[1, new Record("other.Holder", { leaf, list: [leaf] })]])]),
    "inside themselves": inside,
    "without fields, and with odd names": [
      new Record("other.Empty", {}),
      new Record("", JSON.parse('{"__proto__": 1, "": [2]}')),
      new Record("other.Empty", {}),
    ],
    "as other values": [new Extension("other.Money", 350), new Extension("other.Money", "x"), new Extension("", leaf)],
    "of Python": [
      new Extension("py.deque", [1, 2]),
      new Record("collections.Counter", { a: 1 }),
      new Extension("py.deque", []),
    ],
  };

  test.each(Object.entries(values))("are written back as the same bytes: %s", (_, value) => {
    for (const profile of ["fast", "balanced"] as const) {
      const bytes = dumps(value, { profile });
      const back = loads(bytes);
      expect(dumps(back, { profile })).toEqual(bytes);
      expect(dumps(loads(dumps(back, { profile })), { profile })).toEqual(bytes);
    }
  });
});
