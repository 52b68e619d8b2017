/** A writer gives the canonical bytes of large vectors (of others, see `checks.ts`), and the errors of those that cannot be written. */

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { dumps } from "../../src/encoder.js";
import { HoldallError } from "../../src/error.js";
import { givenBy } from "../checks.js";
import { fromTagged, type Tagged } from "./tagged.js";

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
