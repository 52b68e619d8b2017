/** The examples of the documentation run, and their values are those in the comments beside them. */

import { readFileSync } from "node:fs";
import * as files from "node:fs/promises";
import * as os from "node:os";
import { inspect } from "node:util";
import * as polyfill from "temporal-polyfill";
import * as valibot from "valibot";
import { describe, expect, test } from "vitest";
import * as holdall from "../src/index.js";
import * as schema from "../src/schema.js";
import * as stream from "../src/stream.js";
import * as temporal from "../src/temporal.js";

const MODULES: { readonly [name: string]: object } = {
  holdall,
  "holdall/schema": schema,
  "holdall/stream": stream,
  "holdall/temporal": temporal,
  "node:fs/promises": files,
  "node:os": os,
  "temporal-polyfill": polyfill,
  valibot,
};
const PAGES = ["README.md", "docs/js/tutorial.md", "docs/js/coming-from.md"];

/** The code of an example. Of `value; // text`, the value must show as the text. */
function prepared(code: string): string {
  return code
    .replace(/^import \* as (\w+) from ("[^"]*");$/gm, "const $1 = modules[$2];")
    .replace(
      /^import (\{[^}]*\}) from ("[^"]*");$/gm,
      (_, names: string, module: string) => `const ${names.replaceAll(" as ", ": ")} = modules[${module}];`,
    )
    .replace(/^(\S.*); \/\/ (.+)$/gm, (_, value: string, text: string) => `check(${value}, ${JSON.stringify(text)});`);
}

for (const page of PAGES) {
  describe(page, () => {
    const text = readFileSync(new URL(`../../${page}`, import.meta.url), "utf8");
    const examples = [...text.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code!);
    test("has examples", () => expect(examples.length).toBeGreaterThan(0));
    for (const code of examples) {
      test(code.trim().split("\n").at(-1)!, async () => {
        const check = (value: unknown, shown: string) => {
          const is = typeof value === "string" ? JSON.stringify(value) : inspect(value);
          expect(is).toBe(shown);
        };
        const run = Object.getPrototypeOf(async () => {}).constructor("modules", "check", prepared(code));
        await run(MODULES, check);
      });
    }
  });
}
