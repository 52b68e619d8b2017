/** The conformance vectors. */

import { readdirSync, readFileSync } from "node:fs";
import { fromHex, type Tagged } from "./tagged.js";

export interface Vector {
  name: string;
  hex: string;
  form?: "message" | "bare" | "schema" | "stream";
  schema_hex?: string;
  budget?: number;
  schema?: string;
  fingerprint?: string;
  metadata?: [string, string][];
  value?: Tagged;
  code?: string;
  offset?: number;
  [more: string]: Tagged;
}

const ROOT = new URL("../../conformance/", import.meta.url);

/** The vectors of a folder, without those of writers. */
export function vectors(folder: string): Vector[] {
  return readdirSync(new URL(folder, ROOT))
    .filter((file) => file.endsWith(".json") && file !== "encode.json")
    .sort()
    .flatMap((file) => JSON.parse(readFileSync(new URL(`${folder}/${file}`, ROOT), "utf8")).vectors as Vector[]);
}

export function bytesOf(hex: string): Uint8Array {
  return fromHex(hex.replaceAll(" ", ""));
}
