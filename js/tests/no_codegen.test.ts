import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { vectors } from "./vectors.js";

/** Reads all vectors, and prints those whose outcome is another. */
const RUN = `
import { readFileSync } from "node:fs";
import { Decoder, HoldallError, parseSchema } from "./src/index.ts";
const bytesOf = (hex) => Uint8Array.from(Buffer.from(hex.replaceAll(" ", ""), "hex"));
let refused = false;
try { new Function("return 1")(); } catch { refused = true; }
if (!refused) console.log("code generation is allowed");
let count = 0;
for (const vector of JSON.parse(readFileSync(process.argv[2], "utf8"))) {
  const bytes = bytesOf(vector.hex);
  let outcome = "";
  try {
    if (vector.form === "schema") parseSchema(bytes);
    else {
      const schema = vector.schema_hex === undefined ? undefined : parseSchema(bytesOf(vector.schema_hex));
      const decoder = new Decoder({ budget: vector.budget, schemas: schema ? [schema] : [] });
      if (vector.form === "bare") decoder.loadsBare(bytes, schema); else decoder.loads(bytes);
    }
  } catch (error) {
    if (!(error instanceof HoldallError)) throw error;
    outcome = error.code + " " + error.offset;
  }
  if (outcome !== (vector.code === undefined ? "" : vector.code + " " + vector.offset)) console.log(vector.name, outcome);
  count++;
}
console.log(count);
`;

test("reads all vectors where code generation from strings is not allowed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdall-"));
  try {
    const all = [...vectors("valid"), ...vectors("invalid")];
    const input = join(folder, "vectors.json");
    writeFileSync(input, JSON.stringify(all));
    const outfile = join(folder, "run.mjs");
    const resolveDir = new URL("..", import.meta.url).pathname;
    await build({
      stdin: { contents: RUN, resolveDir, loader: "ts" },
      bundle: true,
      format: "esm",
      platform: "node",
      outfile,
    });
    const ran = spawnSync(process.execPath, ["--disallow-code-generation-from-strings", outfile, input], {
      encoding: "utf8",
    });
    expect([ran.stdout.trim(), ran.stderr]).toEqual([String(all.length), ""]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
