/**
 * Compares holdall with other codings in Node and Chromium: make bench-js. Each case runs in processes of its own, with
 * and without generated code, since what a process ran before changes how fast its functions are.
 */

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { NAMES } from "./cases.mjs";
import { bundlePage, chromium, runInChromium } from "./chromium.mjs";

const [folder, output, rounds, ...chosen] = process.argv.slice(2);
const here = fileURLToPath(new URL(".", import.meta.url));
const root = fileURLToPath(new URL("../../", import.meta.url));
const module = `${root}target/bench-js/holdall.mjs`;
mkdirSync(`${root}target/bench-js`, { recursive: true });
buildSync({ entryPoints: [`${root}js/src/index.ts`], bundle: true, format: "esm", platform: "node", outfile: module });

const page = `${root}target/bench-js/page.mjs`;
const runtimes = process.env.RUNTIMES?.split(" ") ?? ["node", "chromium"];
const browser = runtimes.includes("chromium") ? chromium() : undefined;
if (browser) bundlePage(page);
else console.log("SKIPPED: Chromium is missing, or not wanted");

const number = (value) => (value === null || value === undefined ? "" : value.toFixed(value < 10 ? 2 : 0));
const ratio = (mine, other) => (mine && other ? (mine / other).toFixed(2) : "");
const versions = browser ? `Node ${process.version} and ${browser.version}` : `Node ${process.version}`;
const lines = [`# TypeScript beside other codings, ${versions}`, ""];
lines.push(`The least times in ms of ${rounds} interleaved rounds of 20 ms each, in which garbage is collected; *ratio* is holdall balanced's time divided by the coding's.`);
lines.push("In Node they are the processor's, with one thread for garbage; in Chromium the clock's.");
lines.push("`make bench-js`; all values of a case are written one by one, and what each coding reads is compared with them. avsc and");
lines.push("protobuf-es have schemas made from the values, in which null stands for absent fields, and absent fields for null. avsc does not run in Chromium.", "");
const busy = loadavg()[0] > 1 ? `busy: ${loadavg()[0].toFixed(1)} other processes ran on average` : "quiet";
lines.push(`Machine: ${cpus().length} cores of ${cpus()[0].model}, ${busy}.`, "");

/** Adds a table to the results. */
function add(title, results) {
  const [ours] = results;
  const from = lines.length;
  lines.push(`## ${title}`, "");
  lines.push("| coding | bytes | write | ratio | read | ratio | equal |", "|---|---|---|---|---|---|---|");
  for (const { peer, bytes, write, read, equal, error } of results) {
    const cells = error
      ? [peer, error, "", "", "", "", ""]
      : [peer, bytes, number(write), ratio(ours.write, write), number(read), ratio(ours.read, read), equal ?? ""];
    lines.push(`| ${cells.join(" | ")} |`);
  }
  lines.push("");
  console.log(lines.slice(from).join("\n"));
  if (output) writeFileSync(output, `${lines.join("\n")}\n`);
}

for (const name of NAMES) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  let isMissing = false;
  for (const [title, flags] of [
    ["with generated code", []],
    ["without generated code", ["--disallow-code-generation-from-strings"]],
  ]) {
    if (!runtimes.includes("node")) break;
    const text = execFileSync(process.execPath, ["--single-threaded-gc", ...flags, `${here}measure.mjs`, module, folder, name, rounds], {
      encoding: "utf8",
      maxBuffer: 1 << 26,
    });
    const results = JSON.parse(text.trim().split("\n").at(-1));
    isMissing = results.length === 0;
    if (isMissing) {
      console.log(`SKIPPED: ${name}, whose file is missing`);
      lines.push(`${name} was skipped: its file was missing.`, "");
      break;
    }
    add(`${name}, ${title}`, results);
  }
  if (isMissing || !browser) continue;
  for (const isStrict of [false, true]) {
    const results = await runInChromium(browser.command, page, folder, name, Number(rounds), isStrict);
    add(`${name}, ${isStrict ? "without" : "with"} generated code, Chromium`, results);
  }
}
