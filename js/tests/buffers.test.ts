/** Bytes of Node: a `Buffer` shares memory with others, and with its slices. What it gives is what a Uint8Array gives. */

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  Decoder,
  Dictionary,
  dumps,
  Exact,
  HoldallError,
  loads,
  metadataOf,
  open,
  parseSchema,
  type ReadOptions,
  schemaOf,
  schemaText,
} from "../src/index.js";
import { Schema } from "../src/schema.js";
import { Reader, Writer } from "../src/stream.js";
import { decompress } from "../src/zstd.js";
import { bytesOf, changesOf, type Vector } from "./checks.js";
import { schemaOfUsersRoot } from "./generated_users.js";
import { Comparison } from "./tagged.js";
import { vectors } from "./vectors.js";

/** The bytes as a Buffer at an odd offset of a larger one, as Node's pool has small files. */
function pooled(bytes: Uint8Array): Buffer {
  const pool = Buffer.alloc(bytes.length + 64, 0x5a);
  pool.set(bytes, 13);
  return pool.subarray(13, 13 + bytes.length);
}

/** What reading gives, and that it has no part of the bytes. */
function outcomeOf(read: (bytes: Uint8Array) => unknown, bytes: Uint8Array): unknown {
  try {
    const value = read(bytes);
    bytes.fill(7);
    return { value };
  } catch (error) {
    if (error instanceof HoldallError) return [error.message, error.code, error.offset, error.path];
    throw error;
  }
}

function same(read: (bytes: Uint8Array) => unknown, hex: string): void {
  expect(outcomeOf(read, pooled(bytesOf(hex)))).toStrictEqual(outcomeOf(read, bytesOf(hex)));
}

/** The same of a vector with a value. Shared rows of some would take `toStrictEqual` ages. */
function reads(vector: Vector, read: (bytes: Uint8Array) => unknown): void {
  if (vector.code !== undefined) {
    same(read, vector.hex);
    return;
  }
  const bytes = pooled(bytesOf(vector.hex));
  const value = read(bytes);
  bytes.fill(7);
  new Comparison().check(value, vector.value);
}

const given = (vector: Vector): ReadOptions => ({
  budget: vector.budget,
  schemas: vector.schema_hex === undefined ? [] : [parseSchema(bytesOf(vector.schema_hex))],
  zstd: decompress,
});

const named = (folder: string) => vectors(folder).map((vector) => [vector.name, vector] as const);

describe.each(["valid", "invalid"])("%s", (folder) => {
  test.each(named(folder))("%s", (_, vector) => {
    const options = given(vector);
    const { schemas } = options;
    if (vector.form === "schema") {
      same((bytes) => {
        const { text, fingerprint } = Schema.fromBytes(bytes);
        return [parseSchema(bytes), text, fingerprint];
      }, vector.hex);
    } else if (vector.form === "bare") {
      reads(vector, (bytes) => new Decoder(options).loadsBare(bytes, [...schemas!][0]!));
    } else {
      reads(vector, (bytes) => loads(bytes, options));
      reads(vector, (bytes) => open(bytes, options).value);
      same((bytes) => schemaText(schemaOf(bytes, options)), vector.hex);
      same((bytes) => Schema.of(bytes, {}, options).fingerprint, vector.hex);
      same(metadataOf, vector.hex);
    }
  });
});

test.each(named("evolution"))("evolution: %s", (_, vector) => {
  const hex = vector["reader_schema_hex"];
  same((bytes) => {
    const schema = Schema.fromBytes(pooled(bytesOf(hex)), changesOf(vector));
    return loads(bytes, { schema });
  }, vector.hex);
});

/** The values and the faults of a stream. */
async function streamOf(source: Uint8Array | Uint8Array[], options: ReadOptions): Promise<unknown> {
  const faults: unknown[] = [];
  const reader = new Reader(source, {
    ...options,
    onDamage: ({ error }) => faults.push([error.message, error.code, error.offset]),
  });
  const values: unknown[] = [];
  try {
    for await (const value of reader) values.push(value);
  } catch (error) {
    if (!(error instanceof HoldallError)) throw error;
    faults.push(error.code);
  }
  for (const bytes of [source].flat()) bytes.fill(7);
  return [values, faults, reader.metadata, reader.schemas];
}

test.each(named("streams"))("streams: %s", async (_, vector) => {
  const options = given(vector);
  const bytes = bytesOf(vector.hex);
  const expected = await streamOf(bytes.slice(), options);
  expect(await streamOf(pooled(bytes), options)).toStrictEqual(expected);
  const chunks = [bytes.subarray(0, 37), bytes.subarray(37)].map(pooled);
  expect(await streamOf(chunks, options)).toStrictEqual(expected);
  same((bytes) => open(bytes, options).value, vector.hex);
});

test("dictionaries and messages with them", () => {
  const file = new URL("../../conformance/dictionaries/messages.json", import.meta.url);
  const { dictionaries, vectors } = JSON.parse(readFileSync(file, "utf8")) as {
    dictionaries: { events: string };
    vectors: Vector[];
  };
  const bytes = pooled(bytesOf(dictionaries.events));
  const dictionary = new Dictionary(bytes);
  expect(dictionary.hash).toBe(new Dictionary(bytesOf(dictionaries.events)).hash);
  bytes.fill(7);
  for (const vector of vectors) {
    const known = { ...given(vector), dictionaries: [dictionary] };
    const expected = { ...known, dictionaries: [new Dictionary(bytesOf(dictionaries.events))] };
    const found = outcomeOf((bytes) => loads(bytes, known), pooled(bytesOf(vector.hex)));
    expect(found).toStrictEqual(outcomeOf((bytes) => loads(bytes, expected), bytesOf(vector.hex)));
  }
});

const VALUE = {
  floats: [0.1, 0.2, 0.3],
  rows: [
    { a: 1, b: 0.5 },
    { a: 2, b: 0.25 },
  ],
  bytes: Uint8Array.of(1, 2, 3),
  buffer: Uint8Array.of(4, 5).buffer,
  array: Float64Array.of(1.5, 2.5),
};

test("what a Buffer of the pool gives is not of the pool", () => {
  const bytes = Buffer.from(dumps(VALUE));
  expect(bytes.buffer.byteLength).toBeGreaterThan(bytes.length);
  const value = loads(bytes) as typeof VALUE;
  const view = open(bytes);
  expect(view.value).toStrictEqual(VALUE);
  expect(view.column("rows.b")).toEqual(Float64Array.of(0.5, 0.25));
  bytes.fill(7);
  expect(value).toStrictEqual(VALUE);
});

test("sources of views may give Buffers", async () => {
  const chunks: Uint8Array[] = [];
  const writer = new Writer(chunks);
  for (let i = 0; i < 3; i++) await writer.write(VALUE);
  await writer.close();
  for (const bytes of [dumps(VALUE), Uint8Array.from(Buffer.concat(chunks))]) {
    const slice = (start: number, end: number) => pooled(bytes.subarray(start, end));
    const view = await open({ byteLength: bytes.length, slice });
    expect((await view.whole()).value).toStrictEqual(open(bytes).value);
    expect(await view.column("rows.b")).toEqual(open(bytes).column("rows.b"));
  }
});

test("the option zstd may give Buffers", () => {
  const zstd = (frame: Uint8Array, maxOutputLength: number) => {
    const content = decompress(pooled(frame), maxOutputLength);
    return content && pooled(content);
  };
  let used = 0;
  for (const vector of vectors("valid")) {
    if (vector.form !== undefined) continue;
    const options = given(vector);
    const counting = (frame: Uint8Array, size: number) => {
      used++;
      return zstd(frame, size);
    };
    reads(vector, (bytes) => loads(bytes, { ...options, zstd: counting }));
  }
  expect(used).toBeGreaterThan(3);
});

test("generated schemas read Buffers", () => {
  const users = [{ id: 1, name: "a", "home town": { name: "b", at: [0.5, 1.5] }, class: null, tags: [] }];
  const bytes = dumps(users);
  expect(loads(pooled(bytes), { schema: schemaOfUsersRoot })).toStrictEqual(
    loads(bytes, { schema: schemaOfUsersRoot }),
  );
});

describe("written", () => {
  test("long Buffers that are the same as text stay apart", () => {
    const rows = Array.from({ length: 8 }, (_, i) => new Uint8Array(16_400).fill(i % 2 ? 0xfe : 0xff, 16_390));
    const bytes = dumps(rows.map((row) => Buffer.from(row)));
    expect(Buffer.compare(bytes, dumps(rows))).toBe(0);
    (loads(bytes) as Uint8Array[]).forEach((row, i) => {
      expect(Buffer.compare(row, rows[i]!)).toBe(0);
    });
  });

  test("Buffers as keys are equal if their bytes are", () => {
    const keys = [0xfe, 0xff].map((byte) => Uint8Array.of(byte));
    const map = (make: (key: Uint8Array) => unknown) => new Map(keys.map((key, i) => [make(key), i]));
    expect(dumps(map((key) => Buffer.from(key)))).toEqual(dumps(map((key) => key)));
    const exact = map((key) => new Exact("fixed", Buffer.from(key)));
    expect(dumps(exact)).toEqual(dumps(map((key) => new Exact("fixed", key))));
    const equal = new Map([
      [Buffer.of(1), 1],
      [Uint8Array.of(1), 2],
    ]);
    expect(() => dumps(equal)).toThrow(expect.objectContaining({ code: "duplicate_key" }));
  });
});
