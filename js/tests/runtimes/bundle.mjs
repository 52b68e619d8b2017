// The suite as one file of each form that a runtime takes, and the vectors.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const HERE = new URL(".", import.meta.url).pathname;
const CONFORMANCE = new URL("../../../conformance/", import.meta.url).pathname;

/** Prints the outcome. Node, Deno and Bun run it, and their own zstd on the frames of all vectors. */
const COMMAND = `
import { readFileSync } from "node:fs";
import { run } from "./suite.ts";
import { frames } from "../frames.ts";
import { decompress as platform } from "../../src/zstd/node.ts";
import { decompress } from "../../src/zstd.ts";
const vectors = JSON.parse(readFileSync(process.argv[2], "utf8"));
const outcome = await run(vectors);
for (const [payload, size] of frames([...vectors.valid, ...vectors.invalid])) {
  outcome.count++;
  if (String(platform(payload, size)) !== String(decompress(payload, size))) outcome.failures.push("zstd " + payload);
}
console.log(JSON.stringify(outcome));
`;

/** Sends the outcome back. */
const PAGE = `
import { run } from "./suite.ts";
fetch("vectors.json").then((got) => got.json()).then(run).catch((error) => ({ count: 0, failures: [String(error)] }))
  .then((outcome) => fetch("outcome", { method: "POST", body: JSON.stringify(outcome) }));
`;

/** Answers vectors with the outcome. */
const WORKER = `
import { run } from "./suite.ts";
export default { fetch: async (request) => Response.json(await run(await request.json())) };
`;

/** Writes vectors.json, command.mjs, page.mjs and worker.mjs into a folder. */
export async function bundle(folder) {
  const vectors = Object.fromEntries(
    ["valid", "invalid", "evolution", "streams"].map((name) => {
      const files = readdirSync(join(CONFORMANCE, name)).filter((file) => file !== "encode.json");
      return [name, files.flatMap((file) => JSON.parse(readFileSync(join(CONFORMANCE, name, file), "utf8")).vectors)];
    }),
  );
  writeFileSync(join(folder, "vectors.json"), JSON.stringify(vectors));
  for (const [name, contents, platform] of [
    ["command", COMMAND, "node"],
    ["page", PAGE, "browser"],
    ["worker", WORKER, "browser"],
  ]) {
    const outfile = join(folder, `${name}.mjs`);
    const stdin = { contents, resolveDir: HERE, loader: "ts" };
    await build({ stdin, outfile, platform, bundle: true, format: "esm", target: "es2022", logLevel: "error" });
  }
}
