/** All vectors pass in each runtime that there is: Node, without generated code too, Deno, Bun, workerd, Chromium, Firefox. */

import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

/** `make test-js-runtimes` runs the same, after it has installed Deno, Bun and workerd. */
test("all vectors pass in each runtime", () => {
  const script = new URL("runtimes/run.mjs", import.meta.url).pathname;
  const ran = spawnSync(process.execPath, [script], { encoding: "utf8" });
  if (ran.stderr) console.warn(ran.stderr);
  const outcomes = ran.stdout.trim().split("\n");
  expect(outcomes.filter((line) => !/: (\d+) of \1 passed in/.test(line))).toEqual([]);
  expect(outcomes.map((line) => line.split(":")[0])).toContain("node --disallow-code-generation-from-strings");
  expect(ran.status).toBe(0);
}, 900_000);
