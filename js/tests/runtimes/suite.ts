/** All vectors and some values through every entry, on any platform. */

import * as holdall from "../../src/index.js";
import * as stream from "../../src/stream.js";
import { temporal } from "../../src/temporal.js";
import { CHECKS, same, type Vector } from "../checks.js";

/** The vectors of each folder. */
export interface Vectors {
  readonly [folder: string]: readonly Vector[];
}

export interface Outcome {
  readonly count: number;
  readonly failures: string[];
  /** Whether the platform lets a program make code from text. */
  readonly generates: boolean;
}

/** Runs everything, and returns what failed. */
export async function run(vectors: Vectors): Promise<Outcome> {
  const failures: string[] = [];
  let count = 0;
  const attempt = async (name: string, check: () => void | Promise<void>): Promise<void> => {
    count++;
    try {
      await check();
    } catch (error) {
      failures.push(`${name}: ${error instanceof Error ? error.message : error}`);
    }
  };
  for (const [folder, list] of Object.entries(vectors)) {
    for (const vector of list) await attempt(`${folder}/${vector.name}`, () => CHECKS[folder]!(vector));
  }
  for (const [name, check] of Object.entries(PLATFORM)) await attempt(name, check);
  let generates = true;
  try {
    new Function("return 1")();
  } catch {
    generates = false;
  }
  return { count, failures, generates };
}

class Point {
  constructor(
    readonly x: number,
    readonly y: number,
  ) {}
}

/** What depends on the classes that a platform has. */
const PLATFORM: { readonly [name: string]: () => void | Promise<void> } = {
  "values of the platform's classes"() {
    holdall.register(Point, { name: "runtimes.Point" });
    const values: unknown[] = [
      new Date(0),
      new URL("https://example.org/a?b"),
      /a+/giu,
      new TypeError("no", { cause: 1 }),
      new Map([[1, new Set(["a"])]]),
      new Float32Array([0.5]),
      new BigInt64Array([-1n]),
      new ArrayBuffer(2),
      new DataView(new ArrayBuffer(1)),
      "\ud800",
      -0,
      2n ** 70n,
      undefined,
      new Point(1, 2),
    ];
    const bytes = holdall.dumps(values);
    const back = holdall.loads(bytes) as unknown[];
    values.forEach((value, i) => {
      const kind = (of: unknown) => Object.prototype.toString.call(of) + (of as object | null)?.constructor?.name;
      same(kind(back[i]), kind(value), `the class of value ${i}`);
      same(Object.is(back[i], value) || typeof value === "object", true, `value ${i}`);
    });
    same(holdall.dumps(back).join(), bytes.join(), "the second message");
  },
  async "a stream through the platform's streams"() {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = new stream.Writer(writable);
    const write = async () => {
      for (let id = 0; id < 100; id++) await writer.write({ id });
      await writer.close();
    };
    const values: unknown[] = [];
    const read = async () => {
      for await (const value of new stream.Reader(readable)) values.push(value);
    };
    await Promise.all([write(), read()]);
    same(values.length, 100, "the number of values");
  },
  async "a column and rows of a Blob"() {
    const chunks: Uint8Array[] = [];
    const writer = new stream.Writer(chunks, { blockRows: 10 });
    for (let id = 0; id < 100; id++) await writer.write({ id, half: id / 2 });
    await writer.close();
    const view = await holdall.open(await holdall.fileSource(new Blob(chunks as BlobPart[])));
    same(Array.from(await view.column("half"))[99], 49.5, "the column");
    same((await view.rows(50, 52)).at(1)?.["id"], 51, "the row");
  },
  "times of the platform's Temporal, if it has one"() {
    // biome-ignore lint/suspicious/noExplicitAny: TypeScript does not know Temporal yet.
    const { Temporal } = globalThis as any;
    if (Temporal === undefined) return;
    const instant = new Temporal.Instant(1_000_000_000_000_000_001n);
    const zoned = instant.toZonedDateTimeISO("Europe/Berlin");
    const values: unknown[] = [
      instant,
      zoned,
      instant.toZonedDateTimeISO("-03:30"),
      zoned.toPlainDateTime(),
      zoned.toPlainDate(),
      zoned.toPlainTime(),
      Temporal.Duration.from("PT1H30M"),
      Temporal.Duration.from("P1M"),
    ];
    const bytes = holdall.dumps(values);
    const back = holdall.loads(bytes, { temporal: temporal() }) as unknown[];
    values.forEach((value, i) => {
      same(String(back[i]), String(value), `time ${i}`);
      same(Object.prototype.toString.call(back[i]), Object.prototype.toString.call(value), `the class of time ${i}`);
    });
    same(holdall.dumps(back).join(), bytes.join(), "the second message");
  },
};
