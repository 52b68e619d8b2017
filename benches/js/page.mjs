/** Measures one case in a browser, and sends the results to the server of the page. */

import * as holdall from "../../js/src/index.ts";
import { caseOf } from "./cases.mjs";
import { isEqual } from "./equal.mjs";
import { measured } from "./rounds.mjs";

const { name, rounds, files } = await (await fetch("case.json")).json();
const texts = new Map();
for (const file of files) texts.set(file, await (await fetch(`data/${file}`)).text());

// No processor's time can be read here: of the clock's times, the least is the one that others disturbed least.
const options = {
  now: () => performance.now(),
  chosen: (times) => Math.min(...times),
  isEqual,
};
const given = caseOf(name, (file) => texts.get(file));
let body;
try {
  body = given ? await measured(holdall, given, rounds, options) : [];
} catch (error) {
  body = { error: String(error.stack) };
}
await fetch("results", { method: "POST", body: JSON.stringify(body) });
