/** A writer gives the canonical bytes of every vector, and the errors of those that cannot be written. */

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { dumps } from "../../src/encoder.js";
import { HoldallError } from "../../src/error.js";
import { fromTagged, type Tagged, Unrepresentable } from "./tagged.js";

const FOLDER = new URL("../../../conformance/", import.meta.url);

interface Vector {
  name: string;
  value: Tagged;
  hex: string;
  canonical?: boolean;
  profile?: "fast" | "balanced";
  metadata?: [string, string][];
  any_order?: Tagged[];
  code?: string;
  limit_output?: number;
}

function vectorsOf(path: string): Vector[] {
  return JSON.parse(readFileSync(new URL(path, FOLDER), "utf8")).vectors;
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

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString("hex")
    .toUpperCase()
    .replace(/(..)(?!$)/g, "$1 ");
}

function givenBy(name: string, tagged: Tagged): { value: unknown } | undefined {
  try {
    return { value: fromTagged(tagged) };
  } catch (error) {
    if (!(error instanceof Unrepresentable)) throw error;
    expect(UNREPRESENTABLE).toContain(name);
    return undefined;
  }
}

for (const file of readdirSync(new URL("valid", FOLDER))) {
  const vectors = vectorsOf(`valid/${file}`).filter(({ canonical }) => canonical);
  describe.skipIf(vectors.length === 0)(`valid/${file}`, () => {
    for (const vector of vectors) {
      test(vector.name, () => {
        const { profile } = vector;
        const metadata = vector.metadata ?? [];
        const given = givenBy(vector.name, vector.value);
        if (given === undefined) return;
        expect(hex(dumps(given.value, { profile: profile!, metadata }))).toBe(vector.hex);
        for (const other of [vector.value, ...(vector.any_order ?? [])]) {
          expect(hex(dumps(fromTagged(other), { profile: profile!, metadata, canonical: true }))).toBe(vector.hex);
        }
      });
    }
  });
}

interface LargeVector extends Vector {
  parts: [string, number][];
  strings?: [number, string, number];
  canonical: never;
}

for (const file of readdirSync(new URL("large", FOLDER))) {
  const vectors = (vectorsOf(`large/${file}`) as LargeVector[]).filter(({ canonical }) => canonical !== undefined);
  describe.skipIf(vectors.length === 0)(`large/${file}`, () => {
    for (const { name, parts, value, strings, canonical } of vectors) {
      test(name, () => {
        const given = strings ? Array(strings[0]).fill(strings[1].repeat(strings[2])) : fromTagged(value);
        const expected = Buffer.concat(
          parts.map(([digits, times]) => {
            const bytes = Buffer.from(digits.replaceAll(" ", ""), "hex");
            return Buffer.alloc(bytes.length * times, bytes);
          }),
        );
        expect(Buffer.compare(dumps(given, { profile: canonical }), expected)).toBe(0);
      });
    }
  });
}

describe("invalid/encode.json", () => {
  for (const vector of vectorsOf("invalid/encode.json")) {
    test(vector.name, () => {
      const given = givenBy(vector.name, vector.value);
      if (given === undefined) return;
      const limits = vector.limit_output === undefined ? {} : { output: vector.limit_output };
      let code: string | undefined;
      try {
        dumps(given.value, { profile: "fast", limits });
      } catch (error) {
        if (!(error instanceof HoldallError)) throw error;
        ({ code } = error);
      }
      expect(code).toBe(vector.code);
    });
  }
});
