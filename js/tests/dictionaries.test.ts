/** Messages that are compressed with a dictionary (F-101). */

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { Decoder, Dictionary, HoldallError, loads, metadataOf, open, schemaOf, schemaText } from "../src/index.js";
import { parseSchema, loads as plainLoads } from "../src/read.js";
import { bytesOf, errorOf, type Vector } from "./checks.js";
import { Comparison } from "./tagged.js";

const FILE = new URL("../../conformance/dictionaries/messages.json", import.meta.url);
const { dictionaries, vectors } = JSON.parse(readFileSync(FILE, "utf8")) as {
  dictionaries: { events: string };
  vectors: Vector[];
};
const BYTES = bytesOf(dictionaries.events);
const DICTIONARY = new Dictionary(BYTES);

function optionsOf(vector: Vector) {
  const schemas = vector.schema_hex === undefined ? [] : [parseSchema(bytesOf(vector.schema_hex))];
  return { budget: vector.budget, schemas, dictionaries: [DICTIONARY] };
}

const named = vectors.map((vector) => [vector.name, vector] as const);
const valid = named.filter(([, { code }]) => code === undefined);

describe("vectors", () => {
  test.each(named)("%s", async (_, vector) => {
    const bytes = bytesOf(vector.hex);
    const options = optionsOf(vector);
    if (vector.code !== undefined) {
      const { code, offset } = errorOf(() => loads(bytes, options));
      expect([code, offset]).toEqual([vector.code, vector.offset]);
      return;
    }
    const value = loads(bytes, options);
    new Comparison().check(value, vector.value);
    expect(metadataOf(bytes)).toEqual(vector.metadata);
    if (vector.budget !== undefined) return;
    expect(schemaText(schemaOf(bytes, options))).toBe(vector.schema);
    // A file is read whole.
    const view = await open(sourceOf(bytes), options);
    expect(view.metadata).toEqual(vector.metadata);
    expect(schemaText(view.schema!)).toBe(vector.schema);
    if (!Array.isArray(value)) return;
    for (const whole of [open(bytes, options), await view.whole()]) {
      expect(Array.from(whole.column("id"))).toEqual(value.map(({ id }) => id));
    }
  });

  test.each(valid)("%s, cut", (_, vector) => {
    const bytes = bytesOf(vector.hex);
    for (let end = 0; end < bytes.length; end++) {
      const { code } = errorOf(() => loads(bytes.slice(0, end), optionsOf(vector)));
      expect(["truncated", "bad_zstd"]).toContain(code);
    }
  });
});

function sourceOf(bytes: Uint8Array) {
  return { byteLength: bytes.length, slice: async (start: number, end: number) => bytes.slice(start, end) };
}

test("a reader without the dictionary says which option has it", () => {
  const bytes = bytesOf(vectors[0]!.hex);
  for (const read of [loads, plainLoads, schemaOf, open]) {
    const error = errorOf(() => read(bytes));
    expect([error.code, error.offset]).toEqual(["unknown_dictionary", 3]);
    expect(error.message).toContain("`dictionaries`");
  }
});

test("a decoder with a dictionary also reads messages without", () => {
  const decoder = new Decoder({ dictionaries: [DICTIONARY].values() });
  expect(decoder.loads(bytesOf("C1 10 04 07"))).toBe(7);
  expect(decoder.loads(bytesOf(vectors[0]!.hex))).toBe(7);
  expect(decoder.loads(bytesOf(vectors[0]!.hex))).toBe(7);
});

test("the reader without zstd takes a dictionary, too", () => {
  expect(plainLoads(bytesOf(vectors[0]!.hex), { dictionaries: [DICTIONARY] })).toBe(7);
});

test("damaged messages are read or refused", () => {
  const [, { hex }] = valid.find(([name]) => name.startsWith("frame_of_a_list"))!;
  const bytes = bytesOf(hex);
  let refused = 0;
  for (let at = 11; at < bytes.length; at++) {
    for (const bit of [1, 8, 128]) {
      const damaged = bytes.slice();
      damaged[at]! ^= bit;
      try {
        loads(damaged, { dictionaries: [DICTIONARY], budget: 2 ** 20 });
      } catch (error) {
        if (!(error instanceof HoldallError)) throw error;
        refused++;
      }
    }
  }
  expect(refused).toBeGreaterThan(100);
});

test("bytes that are no dictionary are refused", () => {
  const damaged = BYTES.slice();
  damaged.fill(0xff, 8, 40);
  const far = BYTES.slice();
  for (const bytes of [new Uint8Array(), BYTES.slice(0, 8), BYTES.slice(0, 60), BYTES.slice(1), damaged, far.fill(7)]) {
    expect(errorOf(() => new Dictionary(bytes)).code).toBe("bad_input");
  }
});
