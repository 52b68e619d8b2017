/**
 * Compares holdall with other codings in Node: make bench-js. Each case runs in processes of its own, with and without
 * generated code, since what a process ran before changes how fast its functions are.
 */

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { NAMES } from "./cases.mjs";

const [folder, output, rounds, ...chosen] = process.argv.slice(2);
const here = fileURLToPath(new URL(".", import.meta.url));
const root = fileURLToPath(new URL("../../", import.meta.url));
const module = `${root}target/bench-js/holdall.mjs`;
mkdirSync(`${root}target/bench-js`, { recursive: true });
buildSync({ entryPoints: [`${root}js/src/index.ts`], bundle: true, format: "esm", platform: "node", outfile: module });

const number = (value) => (value === null || value === undefined ? "" : value.toFixed(value < 10 ? 2 : 0));
const lines = [`# TypeScript beside other codings, Node ${process.version}`, ""];
lines.push(`Medians in ms of ${rounds} interleaved rounds, each function warm, in time of the processor with one thread for garbage; *ratio* is holdall balanced's time divided by the coding's.`);
lines.push("`make bench-js`; all values of a case are written one by one. protobuf-es has its descriptors from the values, and no nulls.", "");
const busy = loadavg()[0] > 1 ? `busy: ${loadavg()[0].toFixed(1)} other processes ran on average` : "quiet";
lines.push(`Machine: ${cpus().length} cores of ${cpus()[0].model}, ${busy}.`, "");
for (const name of NAMES) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  for (const flags of [[], ["--disallow-code-generation-from-strings"]]) {
    const text = execFileSync(process.execPath, ["--single-threaded-gc", ...flags, `${here}measure.mjs`, module, folder, name, rounds], {
      encoding: "utf8",
      maxBuffer: 1 << 26,
    });
    const results = JSON.parse(text.trim().split("\n").at(-1));
    if (results.length === 0) {
      console.log(`SKIPPED: ${name}, whose file is missing`);
      lines.push(`${name} was skipped: its file was missing.`, "");
      break;
    }
    const [ours] = results;
    lines.push(`## ${name}, ${flags.length > 0 ? "without" : "with"} generated code`, "");
    lines.push("| coding | bytes | write | ratio | read | ratio | equal |", "|---|---|---|---|---|---|---|");
    for (const { peer, bytes, write, read, equal, error } of results) {
      const ratio = (mine, other) => (mine && other ? (mine / other).toFixed(2) : "");
      const cells = error
        ? [peer, error, "", "", "", "", ""]
        : [peer, bytes, number(write), ratio(ours.write, write), number(read), ratio(ours.read, read), equal ?? ""];
      lines.push(`| ${cells.join(" | ")} |`);
    }
    lines.push("");
    console.log(lines.slice(-results.length - 5).join("\n"));
    if (output) writeFileSync(output, `${lines.join("\n")}\n`);
  }
}
