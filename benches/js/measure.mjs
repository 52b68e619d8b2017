/** Measures one case in Node, and prints JSON. */

import { existsSync, readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { caseOf } from "./cases.mjs";
import { measured } from "./rounds.mjs";

const [module, folders, name, rounds] = process.argv.slice(2);

/** The text of a file of one of the folders, which are separated by a comma. */
function text(file) {
  const path = folders.split(",").map((folder) => `${folder}/${file}`).find(existsSync);
  return path && readFileSync(path, "utf8");
}

/** The processor's time in ms: on a busy machine it varies less than that of the clock. */
function now() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The least: other processes, which take the caches, make times longer and never shorter. */
function least(times) {
  return Math.min(...times);
}

const given = caseOf(name, text);
const results = given && (await measured(await import(module), given, Number(rounds), { now, chosen: least, isEqual: isDeepStrictEqual }));
console.log(JSON.stringify(results ?? []));
