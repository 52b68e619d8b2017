/** The package works where code generation from strings is not allowed. */

import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

/** `make test-js-runtimes` runs the same in other runtimes. */
test("everything passes where code generation from strings is not allowed", () => {
  const script = new URL("runtimes/run.mjs", import.meta.url).pathname;
  const ran = spawnSync(process.execPath, [script, "node --disallow-code-generation-from-strings"], {
    encoding: "utf8",
  });
  expect(ran.stdout).toMatch(/: (\d+) of \1 passed in/);
  expect([ran.status, ran.stderr]).toEqual([0, ""]);
}, 120_000);
