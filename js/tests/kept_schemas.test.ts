/** A decoder that keeps schemas reads every message as one that keeps none. */

import { describe, expect, test } from "vitest";
import { Decoder, dumps, HoldallError } from "../src/index.js";
import { Comparison } from "./tagged.js";
import { bytesOf, type Vector, vectors } from "./vectors.js";

/** The value of a message, or what is wrong with it. */
function outcome(decoder: Decoder, bytes: Uint8Array): unknown {
  try {
    return decoder.loads(bytes);
  } catch (error) {
    if (error instanceof HoldallError) return [error.code, error.offset];
    throw error;
  }
}

/** A value with a schema of its own for each number. */
function unlike(i: number): object {
  return { [`field${i}`]: i, list: [i % 2 === 0 ? "text" : 1.5], flag: i % 3 === 0 };
}

describe("a decoder that keeps schemas", () => {
  test("reads unlike messages in turn", () => {
    const decoder = new Decoder();
    const cycle: { self?: object } = {};
    cycle.self = cycle;
    const shared = { x: 1 };
    const values = [...Array.from({ length: 40 }, (_, i) => unlike(i)), cycle, [shared, shared], 1, "text", null];
    for (let round = 0; round < 3; round++) {
      for (const value of values) {
        for (const options of [{}, { checksum: true }, { metadata: { a: "b" } }]) {
          expect(decoder.loads(dumps(value, options))).toEqual(value);
        }
      }
    }
  });

  test("reads the same schema with other values", () => {
    const decoder = new Decoder();
    for (let i = 0; i < 100; i++) expect(decoder.loads(dumps({ name: `n${i}`, i }))).toEqual({ name: `n${i}`, i });
  });

  test("reads the vectors in turn", () => {
    const isAlone = ({ form = "message", schema_hex, budget }: Vector) =>
      form === "message" && schema_hex === undefined && budget === undefined;
    const decoder = new Decoder();
    for (let round = 0; round < 2; round++) {
      for (const { hex, value } of vectors("valid").filter(isAlone)) {
        new Comparison().check(decoder.loads(bytesOf(hex)), value);
      }
      for (const { hex, code, offset } of vectors("invalid").filter(isAlone)) {
        expect(outcome(decoder, bytesOf(hex))).toEqual([code, offset]);
      }
    }
  });

  test("finds a schema that is cut", () => {
    const bytes = dumps([unlike(1), unlike(2)]);
    const decoder = new Decoder();
    decoder.loads(bytes);
    for (let end = 0; end < bytes.length; end++) {
      const part = bytes.slice(0, end);
      expect(outcome(decoder, part)).toEqual(outcome(new Decoder(), part));
    }
  });

  test("keeps 16 schemas, those that were used last", () => {
    const decoder = new Decoder();
    const schemaOf = (i: number) => decoder.block(dumps(unlike(i))).schema;
    const first = schemaOf(0);
    for (let i = 1; i < 16; i++) schemaOf(i);
    expect(schemaOf(0)).toBe(first);
    for (let i = 16; i < 31; i++) schemaOf(i);
    expect(schemaOf(0)).toBe(first);
    for (let i = 31; i < 47; i++) schemaOf(i);
    expect(schemaOf(0)).not.toBe(first);
  });

  test("keeps no schema of more than 64 KiB", () => {
    const decoder = new Decoder();
    const bytes = dumps({ ["x".repeat(65_536)]: 1 });
    expect(decoder.block(bytes).schema).not.toBe(decoder.block(bytes).schema);
  });
});
