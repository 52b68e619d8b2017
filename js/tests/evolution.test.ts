/** Reading with another schema (chapter 13). */

import { describe, expect, test } from "vitest";
import { dumps, HoldallError, loads, open, register, schemaOf } from "../src/index.js";
import { Decoder, parseSchema } from "../src/message/read.js";
import type { ReadOptions } from "../src/options.js";
import { type Changes, Schema } from "../src/schema.js";
import { Reader, Writer } from "../src/stream.js";
import { decompress } from "../src/zstd.js";
import { errorOf } from "./checks.js";
import { Comparison } from "./tagged.js";
import { bytesOf, vectors } from "./vectors.js";

const named = (folder: string) => vectors(folder).map((vector) => [vector.name, vector] as const);

test("there are many vectors", () => expect(vectors("evolution").length).toBeGreaterThan(300));

describe("valid, read with its own schema", () => {
  const own = named("valid").filter(([, vector]) => vector.form !== "schema");
  test.each(own)("%s", (_, vector) => {
    const bytes = bytesOf(vector.hex);
    const given = vector.schema_hex === undefined ? undefined : parseSchema(bytesOf(vector.schema_hex));
    const schemas = given ? [given] : [];
    const writer = vector.form === "bare" ? given! : schemaOf(bytes, { schemas });
    const schema = Schema.fromBytes(writer.bytes);
    const options: ReadOptions = { budget: vector.budget, schemas, zstd: decompress, schema };
    const decoder = new Decoder(options);
    const read = (): unknown => (vector.form === "bare" ? decoder.loadsBare(bytes, given!) : decoder.loads(bytes));
    if (vector["rules"].includes("F-77") && JSON.stringify(vector.value).includes('["unknown"]')) {
      // A value in an encoding of a later version is of no type.
      expect(errorOf(read).code).toBe("unconvertible");
    } else new Comparison().check(read(), vector.value);
  });
});

describe("rows", () => {
  const read = (value: unknown, as: unknown, changes?: Changes): unknown =>
    loads(dumps(value), { schema: Schema.of(dumps(as), changes) });

  test("that are deep need no stack", () => {
    type Chain = { v: number; next: Chain | null };
    let chain: Chain = { v: 0, next: null };
    for (let i = 1; i < 100_000; i++) chain = { v: i, next: chain };
    const message = dumps(chain);
    let value = loads(message, { schema: Schema.of(message) }) as Chain | null;
    let count = 0;
    for (; value !== null; value = value.next) count++;
    expect(count).toBe(100_000);
  });

  test("inside themselves stay so", () => {
    type Node = { name: string; links: Node[]; set: Set<Node>; map: Map<number, Node> };
    const node: Node = { name: "a", links: [], set: new Set(), map: new Map() };
    node.links.push(node);
    node.set.add(node);
    node.map.set(1, node);
    const message = dumps(node);
    const back = loads(message, { schema: Schema.of(message) }) as Node;
    expect(back.links[0]).toBe(back);
    expect([...back.set][0]).toBe(back);
    expect(back.map.get(1)).toBe(back);
  });

  test("of a registered class are objects of it", () => {
    class Tree {
      parent: Tree | null = null;
      children: Tree[] = [];
    }
    register(Tree, { name: "evolution.Tree" });
    const tree = new Tree();
    const child = new Tree();
    tree.children.push(child);
    child.parent = tree;
    const message = dumps(tree);
    const back = loads(message, { schema: Schema.of(message) }) as Tree;
    expect(back).toBeInstanceOf(Tree);
    expect(back.children[0]!.parent).toBe(back);
    expect(Object.keys(back)).toEqual(["parent", "children"]);
  });

  test("with a key `__proto__` reach no prototype", () => {
    const value = JSON.parse('{"__proto__": {"polluted": 1}, "constructor": 2}');
    const message = dumps(value);
    const back = loads(message, { schema: Schema.of(message) });
    expect(Object.keys(back as object)).toEqual(["__proto__", "constructor"]);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  test("take a default, which a function makes for each", () => {
    const changes: Changes = { defaults: [[null, "tags", () => []]] };
    const [a, b] = read([{ id: 1 }, { id: 2 }], [{ id: 1, tags: ["x"] }], changes) as { tags: string[] }[];
    expect(a).toEqual({ id: 1, tags: [] });
    expect(a!.tags).not.toBe(b!.tags);
  });

  test("of a field under another name", () => {
    const changes: Changes = { aliases: [[null, "mail", ["email"]]] };
    expect(read([{ email: "a@b" }], [{ mail: "" }], changes)).toEqual([{ mail: "a@b" }]);
  });

  test("as integers follow the option int", () => {
    const message = dumps([1, 2]);
    expect(loads(message, { schema: Schema.of(message), int: "bigint" })).toEqual([1n, 2n]);
  });
});

test("a schema serves any number of messages, and reports what it cannot read", () => {
  const schema = Schema.of(dumps({ id: 1 }));
  schema.check(schemaOf(dumps({ id: 2, more: "x" })));
  const error = errorOf(() => schema.check(schemaOf(dumps({ id: "x" }))));
  expect([error.code, error.path, error.rule]).toEqual(["incompatible", "$.id", "F-78"]);
});

test("bytes are checked where the schema leaves them out", () => {
  // record {a: string, b: int}, whose a is no UTF-8, as record {b: int}
  const schema = Schema.fromBytes(bytesOf("00 1A 08 04 62 03"));
  const error = errorOf(() => loads(bytesOf("C1 10 1A 10 04 61 12 04 62 03 02 FF 04"), { schema }));
  expect([error.code, error.offset]).toEqual(["invalid_utf8", 11]);
});

test("open with a schema is unsupported", () => {
  const message = dumps([{ a: 1 }]);
  expect(errorOf(() => open(message, { schema: Schema.of(message) })).code).toBe("unsupported");
});

test("streams are read with a schema", async () => {
  const parts: Uint8Array[] = [];
  const writer = new Writer(parts);
  for (let id = 0; id < 3; id++) await writer.write({ id, more: "x" });
  await writer.close();
  const schema = Schema.of(dumps({ id: 1 }));
  const values: unknown[] = [];
  for await (const value of new Reader(Buffer.concat(parts), { schema })) values.push(value);
  expect(values).toEqual([{ id: 0 }, { id: 1 }, { id: 2 }]);
});

test("any message with any schema gives a value or one of the errors", () => {
  const messages = vectors("valid").filter((v) => v.form === undefined && v.hex.length < 600 && !v.schema_hex);
  const codes = new Map<string, number>();
  let next = 13;
  const chance = (n: number): number => {
    next = (next * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((next / 2_147_483_648) * n);
  };
  for (let i = 0; i < 4000; i++) {
    const message = bytesOf(messages[chance(messages.length)]!.hex);
    const schema = Schema.of(bytesOf(messages[chance(messages.length)]!.hex), { round: chance(2) === 1 });
    let code = "value";
    try {
      loads(message, { schema });
    } catch (error) {
      if (!(error instanceof HoldallError)) throw error;
      code = error.code;
    }
    codes.set(code, (codes.get(code) ?? 0) + 1);
  }
  const known = ["value", "incompatible", "unconvertible", "missing_field", "duplicate_key"];
  expect([...codes.keys()].filter((code) => !known.includes(code))).toEqual([]);
  for (const code of known.slice(0, 3)) expect(codes.get(code)).toBeGreaterThan(0);
});
