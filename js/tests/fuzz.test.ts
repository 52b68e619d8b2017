/**
 * Mutated messages and streams give a value, or an error of this package. A value that was read can be written, or is refused by
 * an error of this package; and what is read of that message is written as the same bytes.
 */

import { expect, test } from "vitest";
import { dumps, HoldallError, loads, open } from "../src/index.js";
import { Schema } from "../src/schema.js";
import { Reader } from "../src/stream.js";
import { generator, messages, mutate } from "./mutate.js";
import { bytesOf, vectors } from "./vectors.js";

const SECONDS = Number(process.env["HOLDALL_FUZZ_SECONDS"] ?? 3);
/** Some inputs claim very many rows of no bytes. */
const budget = 2 ** 20;

/** What this returns, or undefined if it throws an error of this package. */
function attempt<R>(run: () => R): R | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof HoldallError) return undefined;
    throw error;
  }
}

function checkMessage(bytes: Uint8Array, other: Uint8Array): void {
  const value = attempt(() => loads(bytes, { budget }));
  for (const profile of ["fast", "balanced"] as const) {
    const written = attempt(() => dumps(value, { profile }));
    if (written === undefined) continue;
    expect(dumps(loads(written), { profile })).toEqual(written);
  }
  const view = attempt(() => open(bytes, { budget }));
  if (view !== undefined) attempt(() => Array.from(view.rows));
  attempt(() => loads(bytes, { budget, schema: Schema.of(other) }));
}

async function checkStream(bytes: Uint8Array): Promise<void> {
  for (const onDamage of [undefined, () => {}]) {
    try {
      for await (const _ of new Reader(bytes, { budget, onDamage }));
    } catch (error) {
      if (!(error instanceof HoldallError)) throw error;
    }
  }
  for (const gap of [0, 2 ** 20]) {
    try {
      const source = { byteLength: bytes.length, gap, slice: (start: number, end: number) => bytes.slice(start, end) };
      const view = await open(source, { budget });
      await view.column("");
      Array.from(await view.rows());
    } catch (error) {
      if (!(error instanceof HoldallError)) throw error;
    }
  }
}

test(
  "whatever is read gives a value or an error of this package",
  async () => {
    const next = generator(Number(process.env["HOLDALL_SEED"] ?? 1));
    const sources = messages();
    const streams = vectors("streams").map((vector) => bytesOf(vector.hex));
    const end = Date.now() + 1000 * SECONDS;
    let count = 0;
    let bytes: Uint8Array = new Uint8Array();
    const pick = (list: readonly Uint8Array[]): Uint8Array => list[next(list.length)]!;
    try {
      for (; Date.now() < end; count++) {
        bytes = mutate(pick(sources), next);
        checkMessage(bytes, pick(sources));
        if (count % 8 > 0) continue;
        bytes = mutate(pick(streams), next);
        await checkStream(bytes);
      }
    } catch (error) {
      throw new Error(`input ${Buffer.from(bytes).toString("hex")}`, { cause: error });
    }
    console.log(`${count} inputs in ${SECONDS} s`);
  },
  60_000 + 2000 * SECONDS,
);
