/** Damaged messages: this reader, the reference decoder and, where it is built, Rust find the same fault, or the same value. */

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { HoldallError } from "../src/error.js";
import { loads } from "../src/index.js";
import { built } from "./built.js";
import { generator, messages, mutate } from "./mutate.js";

const PYTHON = built?.python ?? process.env["HOLDALL_PYTHON"];
const MUTATIONS = Number(process.env["HOLDALL_MUTATIONS"] ?? 3000);

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
  `mutated messages have the faults that the reference decoder ${built ? "and Rust find" : "finds"}`,
  () => {
    const next = generator(Number(process.env["HOLDALL_SEED"] ?? 1));
    const sources = messages();
    const inputs = Array.from({ length: MUTATIONS }, () => mutate(sources[next(sources.length)]!, next));
    const lines = inputs.map((bytes) => Buffer.from(bytes).toString("hex")).join("\n");
    const script = fileURLToPath(new URL("differential.py", import.meta.url));
    const { stdout, stderr } = spawnSync(PYTHON!, [script], {
      env: built?.env ?? process.env,
      input: `${lines}\n`,
      encoding: "utf8",
      maxBuffer: 2 ** 28,
    });
    const expected = stdout.trimEnd().split("\n");
    expect(expected.length, stderr).toBe(inputs.length);
    const differing = inputs.flatMap((bytes, i) => {
      const found = outcome(bytes);
      const [reference, rust = reference] = expected[i]!.split(", ");
      // F-60: readers may differ on whether a damaged frame of zstd is bad_zstd.
      const mayDiffer = `${found} ${expected[i]}`.includes("bad_zstd");
      return (found === reference && found === rust) || mayDiffer
        ? []
        : [`${Buffer.from(bytes).toString("hex")}: ${expected[i]}, not ${found}`];
    });
    expect(differing).toEqual([]);
  },
  600_000 + 30 * MUTATIONS,
);
