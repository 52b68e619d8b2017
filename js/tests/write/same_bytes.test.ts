/** Rust (through the Python package), the plain Python of the reference and TypeScript write the same bytes. */

import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { dumps } from "../../src/encoder.js";
import { Writer } from "../../src/stream.js";
import { built } from "../built.js";
import { fromTagged, type Tagged } from "./tagged.js";

const COUNT = 2000;
const SEED = 31;

function run(code: string[], input: Uint8Array = new Uint8Array()): string {
  return execFileSync(built!.python, code, {
    env: built!.env,
    input,
    maxBuffer: 1 << 30,
    encoding: "utf8",
  });
}

test.skipIf(built === undefined)(
  `the bytes of ${COUNT} random values are those of Rust and Python`,
  { timeout: 300_000 },
  () => {
    const script = fileURLToPath(new URL("same_bytes.py", import.meta.url));
    const lines = execFileSync(built!.python, [script, String(COUNT), String(SEED)], {
      env: built!.env,
      maxBuffer: 1 << 30,
      encoding: "utf8",
    });
    let compared = 0;
    for (const line of lines.trim().split("\n")) {
      const { value, fast, balanced } = JSON.parse(line) as { value: Tagged; fast: string; balanced: string };
      for (const [profile, hex] of [
        ["fast", fast],
        ["balanced", balanced],
      ] as const) {
        const written = Buffer.from(dumps(fromTagged(value), { profile, canonical: true })).toString("hex");
        if (written !== hex) expect({ value, profile, hex: written }).toEqual({ value, profile, hex });
      }
      compared++;
    }
    expect(compared).toBe(COUNT);
  },
);

const READ_STREAM = `
import io, sys, holdall
reader = holdall.Reader(io.BytesIO(sys.stdin.buffer.read()))
values = list(reader)
print(len(values), reader.metadata, values[700] == {"id": 700, "name": "n700", "pair": [1, {"x": 0.5}]}, sum(v["id"] for v in values))
`;

test.skipIf(built === undefined)("Python reads streams", async () => {
  const chunks: Uint8Array[] = [];
  const writer = new Writer(chunks, { metadata: { host: "one" }, blockRows: 10 });
  for (let id = 0; id < 1000; id++) await writer.write({ id, name: `n${id}`, pair: [1, { x: 0.5 }] });
  await writer.close();
  expect(run(["-c", READ_STREAM], Buffer.concat(chunks)).trim()).toBe("1000 {'host': 'one'} True 499500");
});
