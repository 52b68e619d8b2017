import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { HoldallError } from "../src/error.js";
import { loads } from "../src/index.js";
import { bytesOf, vectors } from "./vectors.js";

const PYTHON = process.env["HOLDALL_PYTHON"];
const MUTATIONS = Number(process.env["HOLDALL_MUTATIONS"] ?? 3000);

/** Numbers that repeat from run to run (mulberry32). */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

function mutate(bytes: Uint8Array, next: (below: number) => number): Uint8Array {
  const changed = [...bytes];
  for (let i = next(3); i >= 0; i--) {
    const at = next(changed.length);
    const kind = next(6);
    if (kind < 3) changed[at] = changed[at]! ^ (1 << next(8));
    else if (kind === 3) changed[at] = next(256);
    else if (kind === 4) changed.splice(at, 1);
    else changed.splice(at, 0, next(256));
    if (changed.length === 0) changed.push(0);
  }
  return Uint8Array.from(changed);
}

function outcome(bytes: Uint8Array): string {
  try {
    loads(bytes);
    return "ok";
  } catch (error) {
    // A value that JavaScript cannot hold is no fault of the bytes.
    if (error instanceof HoldallError) return error.code === "unrepresentable" ? "ok" : `${error.code} ${error.offset}`;
    return String(error);
  }
}

test.skipIf(PYTHON === undefined)(
  "mutated messages have the faults that the reference decoder finds",
  () => {
    const next = generator(Number(process.env["HOLDALL_SEED"] ?? 1));
    const sources = vectors("valid")
      .filter(
        (vector) =>
          (vector.form ?? "message") === "message" && vector.schema_hex === undefined && vector.hex.length < 900,
      )
      .map((vector) => bytesOf(vector.hex));
    const inputs = Array.from({ length: MUTATIONS }, () => mutate(sources[next(sources.length)]!, next));
    const lines = inputs.map((bytes) => Buffer.from(bytes).toString("hex")).join("\n");
    const script = fileURLToPath(new URL("differential.py", import.meta.url));
    const { stdout, stderr } = spawnSync(PYTHON!, [script], {
      input: `${lines}\n`,
      encoding: "utf8",
      maxBuffer: 2 ** 28,
    });
    const expected = stdout.trimEnd().split("\n");
    expect(expected.length, stderr).toBe(inputs.length);
    const differing = inputs.flatMap((bytes, i) => {
      const found = outcome(bytes);
      // F-60: readers may differ on whether a damaged frame of zstd is bad_zstd.
      const mayDiffer = `${found} ${expected[i]}`.includes("bad_zstd");
      return found === expected[i] || mayDiffer
        ? []
        : [`${Buffer.from(bytes).toString("hex")}: ${expected[i]}, not ${found}`];
    });
    expect(differing).toEqual([]);
  },
  600_000,
);
