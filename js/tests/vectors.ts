/** The files of the conformance vectors. */

import { readdirSync, readFileSync } from "node:fs";
import type { Vector } from "./checks.js";

export { bytesOf, type Vector } from "./checks.js";

const ROOT = new URL("../../conformance/", import.meta.url);

/** The vectors of a folder, without those of writers. */
export function vectors(folder: string): Vector[] {
  return readdirSync(new URL(folder, ROOT))
    .filter((file) => file.endsWith(".json") && file !== "encode.json")
    .sort()
    .flatMap((file) => JSON.parse(readFileSync(new URL(`${folder}/${file}`, ROOT), "utf8")).vectors as Vector[]);
}
