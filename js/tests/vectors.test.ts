/** The conformance vectors: each message has the value or the fault that its vector says. */

import { describe, expect, test } from "vitest";
import { HoldallError } from "../src/error.js";
import { CHECKS, readVector } from "./checks.js";
import { bytesOf, type Vector, vectors } from "./vectors.js";

for (const [folder, check] of Object.entries(CHECKS)) {
  describe(folder, () => {
    test.each(vectors(folder).map((vector) => [vector.name, vector] as const))("%s", (_, vector) => check(vector));
  });
}

describe("valid", () => {
  const faultOf = (vector: Vector, bytes: Uint8Array): [string, number | undefined] => {
    try {
      readVector(vector, bytes);
    } catch (error) {
      if (error instanceof HoldallError) return [error.code, error.offset];
      throw error;
    }
    return ["none", undefined];
  };

  test.each(vectors("valid").map((vector) => [vector.name, vector] as const))("%s, cut or longer", (_, vector) => {
    const bytes = bytesOf(vector.hex);
    const step = Math.ceil(bytes.length / 300);
    // The budget of a prefix is that of its own length only by default.
    for (let end = 0; end < bytes.length; end += step) {
      expect(faultOf(vector, bytes.slice(0, end))[0]).toBe("truncated");
    }
    const longer = new Uint8Array(bytes.length + 1);
    longer.set(bytes);
    expect(faultOf(vector, longer)).toEqual(["trailing_bytes", bytes.length]);
  });
});
