/** The conformance vectors in `conformance/large`, which are too long to write out. */

import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { HoldallError } from "../src/error.js";
import { Decoder, parseSchema } from "../src/message/read.js";
import { decompress } from "../src/zstd.js";
import { Comparison, type Tagged } from "./tagged.js";
import { bytesOf } from "./vectors.js";

const ROOT = new URL("../../conformance/large/", import.meta.url);
const VECTORS = readdirSync(ROOT).flatMap(
  (file) => JSON.parse(readFileSync(new URL(file, ROOT), "utf8")).vectors as { [field: string]: Tagged }[],
);

function join(parts: [string, number][]): Uint8Array {
  const chunks = parts.map(([hex, count]) => {
    const bytes = bytesOf(hex);
    const all = new Uint8Array(bytes.length * count);
    if (bytes.length === 1) return all.fill(bytes[0]!);
    for (let i = 0; i < count; i++) all.set(bytes, i * bytes.length);
    return all;
  });
  const all = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

test.each(VECTORS.filter((vector) => vector["form"] !== "stream").map((vector) => [vector["name"], vector] as const))(
  "%s",
  (_, vector) => {
    const bytes = join(vector["parts"]);
    const schema = vector["schema_hex"] === undefined ? undefined : parseSchema(bytesOf(vector["schema_hex"]));
    const decoder = new Decoder({ schemas: schema ? [schema] : [], zstd: decompress });
    const read = (): unknown => (vector["form"] === "bare" ? decoder.loadsBare(bytes, schema!) : decoder.loads(bytes));
    if (vector["code"] !== undefined) {
      try {
        read();
        expect.unreachable();
      } catch (error) {
        expect(error).toBeInstanceOf(HoldallError);
        expect([(error as HoldallError).code, (error as HoldallError).offset]).toEqual([
          vector["code"],
          vector["offset"],
        ]);
      }
    } else if (vector["strings"] !== undefined) {
      const [count, text, times] = vector["strings"];
      expect(read()).toEqual(new Array(count).fill(text.repeat(times)));
    } else new Comparison().check(read(), vector["value"]);
  },
  60_000,
);
