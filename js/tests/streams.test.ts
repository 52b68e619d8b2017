import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { HoldallError } from "../src/error.js";
import { parseSchema } from "../src/message/read.js";
import { schemaText } from "../src/schema/text.js";
import { Reader, type StreamOptions, type StreamSource } from "../src/stream/reader.js";
import { decompress } from "../src/zstd.js";
import { Comparison, type Tagged } from "./tagged.js";
import { bytesOf, type Vector, vectors } from "./vectors.js";

interface Outcome {
  reader: Reader;
  values: unknown[];
  fault: [string, number] | undefined;
}

async function read(source: StreamSource, options: StreamOptions): Promise<Outcome> {
  const reader = new Reader(source, { zstd: decompress, ...options });
  const values: unknown[] = [];
  try {
    for await (const value of reader) values.push(value);
  } catch (error) {
    if (!(error instanceof HoldallError)) throw error;
    return { reader, values, fault: [error.code, error.offset!] };
  }
  return { reader, values, fault: undefined };
}

function expectValues(values: unknown[], tagged: Tagged[]): void {
  expect(values.length).toBe(tagged.length);
  values.forEach((value, i) => {
    new Comparison().check(value, tagged[i]);
  });
}

const optionsOf = (vector: Vector): StreamOptions => ({
  schemas: vector.schema_hex === undefined ? [] : [parseSchema(bytesOf(vector.schema_hex))],
});

describe("streams", () => {
  test.each(vectors("streams").map((vector) => [vector.name, vector] as const))("%s", async (_, vector) => {
    const bytes = bytesOf(vector.hex);
    const { reader, values, fault } = await read(bytes, optionsOf(vector));
    expect(fault).toEqual(vector.code === undefined ? undefined : [vector.code, vector.offset]);
    expectValues(values, vector["values"]);
    expect(reader.metadata).toEqual(vector.metadata);
    expect(reader.schemas.map(schemaText)).toEqual(vector["schemas"]);
  });

  test.each(vectors("streams").map((vector) => [vector.name, vector] as const))("%s, continuing", async (_, vector) => {
    const faults: [string, number | undefined][] = [];
    const onDamage = ({ error }: { error: HoldallError }): void => void faults.push([error.code, error.offset]);
    const { values, fault } = await read(bytesOf(vector.hex), { ...optionsOf(vector), onDamage });
    const expected = vector["going_on"] ?? {
      values: vector["values"],
      faults: vector.code === undefined ? [] : [[vector.code, vector.offset]],
    };
    if (fault !== undefined) faults.push(fault);
    const offsets = expected.faults.map((each: Tagged) => (Array.isArray(each) ? each : [each.code, each.offset]));
    expect(faults).toEqual(offsets);
    expectValues(values, expected.values);
  });
});

const intact = vectors("streams").find((vector) => vector.code === undefined && vector["values"].length > 1)!;

function* single(bytes: Uint8Array): Generator<Uint8Array> {
  for (let i = 0; i < bytes.length; i++) yield bytes.subarray(i, i + 1);
}

test.each<[string, (bytes: Uint8Array) => StreamSource]>([
  ["an ArrayBuffer", (bytes) => bytes.slice().buffer],
  ["a Blob", (bytes) => new Blob([bytes.slice()])],
  ["a ReadableStream", (bytes) => new Blob([bytes.slice()]).stream()],
  ["a Node stream", (bytes) => Readable.from(single(bytes))],
  ["single bytes", single],
])("reads from %s", async (_, source) => {
  const { values, fault } = await read(source(bytesOf(intact.hex)), optionsOf(intact));
  expect(fault).toBeUndefined();
  expectValues(values, intact["values"]);
});
