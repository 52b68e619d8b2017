/** What a reader and a writer do with each conformance vector, on any platform. A check throws where the outcome is another. */

import { dumps } from "../src/encoder.js";
import { HoldallError } from "../src/error.js";
import { Exact } from "../src/exact.js";
import { Decoder, fingerprint, loads, metadataOf, parseSchema, schemaOf } from "../src/message/read.js";
import type { ReadOptions } from "../src/options.js";
import { schemaText } from "../src/schema/text.js";
import { type Changes, Schema } from "../src/schema.js";
import { Reader, type StreamOptions } from "../src/stream/reader.js";
import { decompress } from "../src/zstd.js";
import { Comparison, fromHex, type Tagged, toHex } from "./tagged.js";
import { fromTagged, Unrepresentable } from "./write/tagged.js";

export interface Vector {
  name: string;
  hex: string;
  form?: "message" | "bare" | "schema" | "stream";
  schema_hex?: string;
  budget?: number;
  schema?: string;
  fingerprint?: string;
  metadata?: [string, string][];
  value?: Tagged;
  code?: string;
  offset?: number;
  [more: string]: Tagged;
}

export function bytesOf(hex: string): Uint8Array {
  return fromHex(hex.replaceAll(" ", ""));
}

/** Throws unless both are the same JSON. */
export function same(found: unknown, expected: unknown, what: string): void {
  const texts = [found, expected].map((value) => JSON.stringify(value) ?? "undefined");
  if (texts[0] !== texts[1]) throw new Error(`${what} is ${texts[0]!.slice(0, 300)}, not ${texts[1]!.slice(0, 300)}`);
}

/** The error that this throws. */
export function errorOf(run: () => unknown): HoldallError {
  try {
    run();
  } catch (error) {
    if (error instanceof HoldallError) return error;
    throw error;
  }
  throw new Error("no error");
}

const schemasOf = (vector: Vector) =>
  vector.schema_hex === undefined ? [] : [parseSchema(bytesOf(vector.schema_hex))];

export function readVector(vector: Vector, bytes = bytesOf(vector.hex), zstd = decompress): unknown {
  if (vector.form === "schema") return parseSchema(bytes);
  const schemas = schemasOf(vector);
  const options: ReadOptions = { budget: vector.budget, schemas, zstd };
  const decoder = new Decoder(options);
  return vector.form === "bare" ? decoder.loadsBare(bytes, schemas[0]!) : decoder.loads(bytes);
}

function valid(vector: Vector): void {
  const bytes = bytesOf(vector.hex);
  const value = readVector(vector);
  if (vector.form === "schema") {
    const schema = parseSchema(bytes);
    same(schemaText(schema), vector.schema, "the schema");
    same(fingerprint(schema).toString(16).padStart(16, "0"), vector.fingerprint, "the fingerprint");
    return;
  }
  new Comparison().check(value, vector.value);
  if (vector.form === "bare") return;
  same(schemaText(schemaOf(bytes, { schemas: schemasOf(vector) })), vector.schema, "the schema");
  same(metadataOf(bytes), vector.metadata, "the metadata");
}

function invalid(vector: Vector): void {
  const { code, offset, path } = errorOf(() => readVector(vector));
  same([code, offset], [vector.code, vector.offset], "the fault");
  if (vector["path"] !== undefined) same(path, vector["path"], "the path");
}

/** Vectors whose values no JavaScript object holds: equal keys, keys like array indices in another order, dimensions beyond 2^53. */
const UNREPRESENTABLE = new Set([
  "mapping_of_256_keys_is_a_record",
  "mapping_of_257_keys_is_a_map",
  "record_of_256_fields_leaves_a_257th_key_to_a_map",
  "undecided_becomes_a_map",
  "struct_of_256_fields",
  "zero_times_huge_is_zero",
  "huge_times_zero_is_zero",
  "zero_between_products_without_end",
]);

/** The value of a vector that a writer takes. */
export function givenBy(name: string, tagged: Tagged): { value: unknown } | undefined {
  try {
    return { value: fromTagged(tagged) };
  } catch (error) {
    if (!(error instanceof Unrepresentable) || !UNREPRESENTABLE.has(name)) throw error;
    return undefined;
  }
}

/** The bytes of a vector that is canonical. */
function canonical(vector: Vector): void {
  const given = givenBy(vector.name, vector.value);
  if (given === undefined) return;
  const options = { profile: vector["profile"], metadata: vector.metadata ?? [] };
  const expected = toHex(bytesOf(vector.hex));
  same(toHex(dumps(given.value, options)), expected, "the message");
  for (const other of [vector.value, ...(vector["any_order"] ?? [])]) {
    same(toHex(dumps(fromTagged(other), { ...options, canonical: true })), expected, "the canonical message");
  }
}

export function changesOf(vector: Vector): Changes {
  /** The value in place of the one type that a writer would give it. */
  const plain = (value: unknown): unknown => (value instanceof Exact ? value.value : value);
  return {
    aliases: vector["aliases"],
    structAliases: Object.fromEntries(vector["struct_aliases"] ?? []),
    variantAliases: Object.fromEntries(vector["variant_aliases"] ?? []),
    otherVariants: vector["other_variants"],
    defaults: vector["defaults"]?.map(([struct, field, value]: [string | null, string, never]) => [
      struct,
      field,
      plain(fromTagged(value)),
    ]),
    open: vector["open"],
    round: vector["round"],
    unknownFields: vector["unknown_fields"],
  };
}

function evolution(vector: Vector): void {
  const message = bytesOf(vector.hex);
  const schema = Schema.fromBytes(bytesOf(vector["reader_schema_hex"]), changesOf(vector));
  same(schemaText(schemaOf(message)), vector.schema, "the writer's schema");
  same(schema.text, vector["reader_schema"], "the reader's schema");
  const read = (): unknown => loads(message, { schema, zstd: decompress });
  if (vector.code === undefined) {
    new Comparison().check(read(), vector.value);
    return;
  }
  const { code, offset, path, rule } = errorOf(read);
  same([code, offset, rule], [vector.code, vector.offset, vector["rule"]], "the fault");
  // With an offset, a vector has no path.
  if (vector.offset === undefined) same(path, vector["path"], "the path");
}

interface Outcome {
  readonly reader: Reader;
  readonly values: unknown[];
  readonly faults: [string, number | undefined][];
}

export async function readStream(vector: Vector, options: StreamOptions): Promise<Outcome> {
  const reader = new Reader(bytesOf(vector.hex), { zstd: decompress, schemas: schemasOf(vector), ...options });
  const values: unknown[] = [];
  const faults: [string, number | undefined][] = [];
  try {
    for await (const value of reader) values.push(value);
  } catch (error) {
    if (!(error instanceof HoldallError)) throw error;
    faults.push([error.code, error.offset]);
  }
  return { reader, values, faults };
}

export function sameValues(values: unknown[], tagged: Tagged[]): void {
  same(values.length, tagged.length, "the number of values");
  values.forEach((value, i) => {
    new Comparison().check(value, tagged[i]);
  });
}

async function stream(vector: Vector): Promise<void> {
  const { reader, values, faults } = await readStream(vector, {});
  same(faults, vector.code === undefined ? [] : [[vector.code, vector.offset]], "the fault");
  sameValues(values, vector["values"]);
  same(reader.metadata, vector.metadata, "the metadata");
  same(reader.schemas.map(schemaText), vector["schemas"], "the schemas");
}

async function streamContinuing(vector: Vector): Promise<void> {
  const faults: [string, number | undefined][] = [];
  const onDamage = ({ error }: { error: HoldallError }): void => void faults.push([error.code, error.offset]);
  const outcome = await readStream(vector, { onDamage });
  const expected = vector["going_on"] ?? {
    values: vector["values"],
    faults: vector.code === undefined ? [] : [[vector.code, vector.offset]],
  };
  const offsets = expected.faults.map((each: Tagged) => (Array.isArray(each) ? each : [each.code, each.offset]));
  same([...faults, ...outcome.faults], offsets, "the faults");
  sameValues(outcome.values, expected.values);
}

/** The checks of the vectors in each folder of `conformance`. */
export const CHECKS: { readonly [folder: string]: (vector: Vector) => void | Promise<void> } = {
  valid(vector) {
    valid(vector);
    if (vector["canonical"]) canonical(vector);
  },
  invalid,
  evolution,
  async streams(vector) {
    await stream(vector);
    await streamContinuing(vector);
  },
};
