/** The table of the format's types in docs/js/types.md. */

import { readFileSync } from "node:fs";
import { inspect } from "node:util";
import { expect, test } from "vitest";
import * as holdall from "../src/index.js";
import { KINDS } from "../src/schema/logical.js";

const page = readFileSync(new URL("../../docs/js/types.md", import.meta.url), "utf8");
const rows = [...page.split("\n## Types of the format\n")[1]!.matchAll(/^\| (.*?) \| .*? \| (.*?) \|$/gm)].slice(1);

test("every logical type has a row", () => {
  const names = rows.map(([, name]) => name);
  expect(KINDS.slice(1).filter(([name]) => !names.includes(name as string))).toEqual([]);
});

test.each(rows.filter(([, , code]) => code?.startsWith("`")).map(([, name, code]) => [name!, code!.slice(1, -1)]))(
  "%s is written and read as %s",
  (name, code) => {
    const value = new Function(...Object.keys(holdall), `return ${code}`)(...Object.values(holdall));
    const message = holdall.dumps(value);
    const text = holdall.schemaText(holdall.schemaOf(message));
    if (KINDS.some(([kind]) => kind === name)) expect(text.split(/[[(]/)[0]).toBe(name);
    const back = holdall.loads(message);
    if (value instanceof holdall.Exact) expect(back).toEqual(value.value);
    else expect(inspect(back)).toBe(inspect(value));
  },
);
