import { describe, expect, test } from "vitest";
import { HoldallError } from "../src/error.js";
import { Decoder, fingerprint, metadataOf, parseSchema, schemaOf } from "../src/message/read.js";
import type { ReadOptions } from "../src/options.js";
import { schemaText } from "../src/schema/text.js";
import { decompress } from "../src/zstd.js";
import { Comparison } from "./tagged.js";
import { bytesOf, type Vector, vectors } from "./vectors.js";

function read(vector: Vector, bytes: Uint8Array): unknown {
  if (vector.form === "schema") return parseSchema(bytes);
  const schema = vector.schema_hex === undefined ? undefined : parseSchema(bytesOf(vector.schema_hex));
  const options: ReadOptions = { budget: vector.budget, schemas: schema ? [schema] : [], zstd: decompress };
  const decoder = new Decoder(options);
  return vector.form === "bare" ? decoder.loadsBare(bytes, schema!) : decoder.loads(bytes);
}

function pathOf(run: () => unknown): string | undefined {
  try {
    run();
  } catch (error) {
    if (error instanceof HoldallError) return error.path;
    throw error;
  }
  return undefined;
}

function faultOf(run: () => unknown): [string, number | undefined] {
  try {
    run();
  } catch (error) {
    if (error instanceof HoldallError) return [error.code, error.offset];
    throw error;
  }
  return ["none", undefined];
}

describe("valid", () => {
  test.each(vectors("valid").map((vector) => [vector.name, vector] as const))("%s", (_, vector) => {
    const bytes = bytesOf(vector.hex);
    const value = read(vector, bytes);
    if (vector.form === "schema") {
      const schema = parseSchema(bytes);
      expect(schemaText(schema)).toBe(vector.schema);
      expect(fingerprint(schema).toString(16).padStart(16, "0")).toBe(vector.fingerprint);
    } else {
      new Comparison().check(value, vector.value);
      if (vector.form !== "bare") {
        const schemas = vector.schema_hex === undefined ? [] : [parseSchema(bytesOf(vector.schema_hex))];
        expect(schemaText(schemaOf(bytes, { schemas }))).toBe(vector.schema);
        expect(metadataOf(bytes)).toEqual(vector.metadata);
      }
    }
    const step = Math.ceil(bytes.length / 300);
    for (let end = 0; end < bytes.length; end += step) {
      // The budget of a prefix is that of its own length only by default.
      expect(faultOf(() => read(vector, bytes.slice(0, end)))[0]).toBe("truncated");
    }
    const longer = new Uint8Array(bytes.length + 1);
    longer.set(bytes);
    expect(faultOf(() => read(vector, longer))).toEqual(["trailing_bytes", bytes.length]);
  });
});

describe("invalid", () => {
  test.each(vectors("invalid").map((vector) => [vector.name, vector] as const))("%s", (_, vector) => {
    expect(faultOf(() => read(vector, bytesOf(vector.hex)))).toEqual([vector.code, vector.offset]);
    const { path } = vector;
    if (path !== undefined) expect(pathOf(() => read(vector, bytesOf(vector.hex)))).toBe(path);
  });
});
