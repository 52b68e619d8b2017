/** Views: columns and rows of messages and streams in memory, in files and at URLs, without the rest. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { open as openFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dumps, fileSource, open, register, type Source, urlSource } from "../src/index.js";
import { type WriteOptions, Writer } from "../src/stream.js";
import { vectors } from "./vectors.js";

const trip = (i: number) => ({
  id: i,
  km: i / 3 + 0.25,
  name: `trip ${i}`,
  end: { x: i * 2, y: 7 - i },
  stop: i % 3 === 0 ? null : { x: i },
  tags: Array.from({ length: i % 4 }, (_, n) => ({ tag: `${i}.${n}` })),
  ...(i % 5 === 0 ? { rare: i } : {}),
});
const trips = (n: number) => Array.from({ length: n }, (_, i) => trip(i));
const all = trips(100);
const expected: [string, unknown[]][] = [
  ["id", all.map((each) => each.id)],
  ["km", all.map((each) => each.km)],
  ["end.y", all.map((each) => each.end.y)],
  ["name", all.map((each) => each.name)],
  ["stop.x", all.map((each) => each.stop?.x ?? null)],
  ["tags.tag", all.flatMap((each) => each.tags.map(({ tag }) => tag))],
  ["rare", all.map((each) => each.rare ?? null)],
  ["tags", all.map((each) => each.tags)],
];

async function streamOf(values: unknown[], options: WriteOptions = {}): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  const writer = new Writer(chunks, { sync: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 250), ...options });
  for (const value of values) await writer.write(value);
  await writer.close();
  return Uint8Array.from(Buffer.concat(chunks));
}

/** A source that counts what is asked for. */
function counted(bytes: Uint8Array, gap?: number): Source & { requests: number; bytes: number } {
  return {
    byteLength: bytes.length,
    ...(gap === undefined ? {} : { gap }),
    requests: 0,
    bytes: 0,
    async slice(start, end) {
      this.requests++;
      this.bytes += end - start;
      return bytes.slice(start, end);
    },
  };
}

describe("bytes", () => {
  const bytes = dumps(all);
  test.each(expected)("have the column %s", (path, values) => {
    expect(Array.from(open(bytes).column(path))).toEqual(values);
  });

  test("have typed arrays for columns of numbers, over the buffer where raw rows are aligned in it", () => {
    for (const path of ["id", "km", "end.y"]) expect(ArrayBuffer.isView(open(bytes).column(path))).toBe(true);
    const raw = dumps(
      Array.from({ length: 100 }, (_, i) => ({ x: Math.sin(i + 1) })),
      { profile: "fast" },
    );
    const shifted = Array.from({ length: 8 }, (_, by) => {
      const moved = new Uint8Array(raw.length + 8).subarray(by, by + raw.length);
      moved.set(raw);
      return moved;
    });
    const overBuffer = shifted.filter((each) => (open(each).column("x") as Float64Array).buffer === each.buffer);
    expect(overBuffer.length).toBe(1);
  });

  test("have lazy rows that read as the objects do", () => {
    const even = all.filter((_, i) => i % 5 > 0);
    const { rows } = open(dumps(even));
    expect(rows.length).toBe(80);
    expect(JSON.stringify([...rows])).toBe(JSON.stringify(even));
    expect(rows.at(7)?.["name"]).toBe("trip 9");
    expect(rows.at(80)).toBeUndefined();
    expect(Object.keys(rows.at(7)!)).toEqual([]);
  });

  test("have rows of several shapes, and of no fields", () => {
    expect(JSON.stringify([...open(bytes).rows])).toBe(JSON.stringify(all));
    expect([...open(dumps([1, "a", null])).rows]).toEqual([1, "a", null]);
    expect([...open(dumps([])).rows]).toEqual([]);
  });

  test("pass through lists from the root on", () => {
    expect(Array.from(open(dumps({ users: [{ name: "Ada" }, { name: "Bob" }] })).column("users.name"))).toEqual([
      "Ada",
      "Bob",
    ]);
  });

  test.each([
    [
      [{ a: null }, { a: [5, 6] }],
      [null, [5, 6]],
    ],
    [
      [{}, { a: [5, 6] }],
      [null, [5, 6]],
    ],
    [[{ a: [5, 6] }], [[5, 6]]],
  ])("have a list inside another as one row: %j", (rows, column) => {
    const view = open(dumps(rows));
    expect(Array.from(view.column("a"))).toEqual(column);
    expect(JSON.stringify([...view.rows])).toBe(JSON.stringify(rows));
  });

  test("name a field that is missing, and what has no fields", () => {
    const view = open(bytes);
    for (const [run, code, path] of [
      [() => view.column("end.z"), "missing_field", "$[].end"],
      [() => view.column("id.z"), "unsupported", "$[].id"],
      [() => open(dumps(1)).rows, "unsupported", "$"],
    ] as const) {
      expect(run).toThrow(expect.objectContaining({ code, path }));
    }
  });

  test("have columns and rows of classes and of shared objects", () => {
    class Point {
      constructor(
        readonly x: number,
        readonly y: number,
      ) {}
    }
    register(Point, { name: "view.Point" });
    const shared = new Point(1, 2);
    const view = open(dumps([{ p: shared }, { p: shared }]));
    const points = Array.from(view.column("p"));
    expect(points[0]).toBeInstanceOf(Point);
    expect(points[0]).toBe(points[1]);
    expect(Array.from(open(dumps([new Point(1, 2), new Point(3, 4)])).column("y"))).toEqual([2, 4]);
  });
});

describe("a stream", () => {
  test.each([["fast"], ["balanced"]] as const)("has columns and rows across blocks, %s", async (profile) => {
    const bytes = await streamOf(all, { blockRows: 30, profile });
    const view = open(bytes);
    for (const [path, values] of expected) expect([path, Array.from(view.column(path))]).toEqual([path, values]);
    expect(JSON.stringify([...view.rows])).toBe(JSON.stringify(all));
    expect(view.rows.at(99)?.["id"]).toBe(99);
    expect(view.value).toEqual(all);
  });

  test("of which blocks lack a field has nulls for it", async () => {
    const bytes = await streamOf([{ a: 1 }, { a: 2, b: "x" }, { a: 3 }], { blockRows: 1 });
    expect(Array.from(open(bytes).column("b"))).toEqual([null, "x", null]);
    expect(() => open(bytes).column("c")).toThrow(expect.objectContaining({ code: "missing_field", path: "$[]" }));
  });

  test("without values has no rows", async () => {
    const bytes = await streamOf([]);
    expect([...open(bytes).rows, ...Array.from(open(bytes).column("x"))]).toEqual([]);
    const view = await open(counted(bytes));
    expect([view.length, (await view.column("x")).length, (await view.rows()).length]).toEqual([0, 0, 0]);
  });
});

describe("a source", () => {
  const bytes = dumps(trips(30_000));
  const large = trips(30_000);

  test("of a message gives a column with at most 3 requests", async () => {
    expect(bytes.length).toBeGreaterThan(2 ** 19);
    for (const path of ["id", "end.y", "rare"]) {
      const source = counted(bytes);
      const view = await open(source);
      const values = large.map((each) =>
        path === "id" ? each.id : path === "rare" ? (each.rare ?? null) : each.end.y,
      );
      expect(Array.from(await view.column(path))).toEqual(values);
      expect(source.requests).toBeLessThanOrEqual(3);
    }
    const source = counted(bytes);
    await (await open(source)).column("id");
    expect(source.bytes).toBeLessThan(bytes.length / 4);
  });

  test("of a message gives rows with at most 3 requests", async () => {
    const source = counted(bytes);
    const view = await open(source);
    expect(JSON.stringify([...(await view.rows(700, 710))])).toBe(JSON.stringify(large.slice(700, 710)));
    expect(source.requests).toBeLessThanOrEqual(3);
    expect((await view.rows(29_999)).length).toBe(1);
    expect((await view.rows(5, 2)).length).toBe(0);
  });

  test("of a stream gives a column with at most 3 requests", async () => {
    const stream = await streamOf(large);
    const source = counted(stream);
    const view = await open(source);
    expect(view.length).toBe(30_000);
    expect(Array.from(await view.column("end.y"))).toEqual(large.map((each) => each.end.y));
    expect(source.requests).toBeLessThanOrEqual(3);
  });

  test("of a stream gives rows with at most 3 requests, and reads no other blocks", async () => {
    const stream = await streamOf(large, { blockRows: 1000 });
    const source = counted(stream);
    const view = await open(source);
    expect(JSON.stringify([...(await view.rows(20_990, 21_010))])).toBe(JSON.stringify(large.slice(20_990, 21_010)));
    expect(source.requests).toBe(3);
    expect(source.bytes).toBeLessThan(stream.length / 3);
  });

  test("of a stream reads the bytes of one column alone where requests cost little", async () => {
    const stream = await streamOf(large, { blockRows: 10_000 });
    const source = counted(stream, 0);
    const view = await open(source);
    const before = source.bytes;
    for (const [path, of] of [
      ["id", (each: (typeof large)[0]) => [each.id]],
      ["stop.x", (each) => [each.stop?.x ?? null]],
      ["tags.tag", (each) => each.tags.map(({ tag }) => tag)],
    ] as [string, (each: (typeof large)[0]) => unknown[]][]) {
      expect(Array.from(await view.column(path))).toEqual(large.flatMap(of));
    }
    expect(source.bytes - before).toBeLessThan(stream.length / 2);
  });

  test("of columns that are aligned gives them as they are", async () => {
    const rows = Array.from({ length: 2000 }, (_, i) => ({ x: Math.sin(i), t: Float64Array.of(i, i + 0.5), y: i / 7 }));
    const stream = await streamOf(rows, { blockRows: 2000 });
    for (const gap of [0, 2 ** 20]) {
      const view = await open(counted(stream, gap));
      expect(Array.from(await view.column("y"))).toEqual(rows.map((row) => row.y));
      expect(Array.from(await view.column("t"))).toEqual(rows.map((row) => row.t));
    }
  });

  test("of a stream whose schema changes finds the schema of each block", async () => {
    const rows = Array.from({ length: 3000 }, (_, i) => (i < 2900 ? { a: Math.sin(i), b: i } : { a: i, c: `${i}` }));
    const source = counted(await streamOf(rows, { blockRows: 100 }), 0);
    const view = await open(source);
    expect(JSON.stringify([...(await view.rows(2950, 2960))])).toBe(JSON.stringify(rows.slice(2950, 2960)));
    expect(Array.from(await view.column("c"))).toEqual(rows.map((row) => row.c ?? null));
  });

  test("of a stream that is still being written gives the complete blocks", async () => {
    const stream = await streamOf(all, { blockRows: 40 });
    for (let end = 16; end < stream.length; end += 7) {
      const cut = stream.slice(0, end);
      const rows = JSON.stringify([...open(cut).rows]);
      expect([0, 40, 80, 100].map((n) => JSON.stringify(all.slice(0, n)))).toContain(rows);
      const view = await open(counted(cut));
      expect(JSON.stringify([...(await view.rows())])).toBe(rows);
      expect(JSON.stringify((await view.whole()).value)).toBe(rows);
    }
  });

  test("of changed bytes is an error of this package, or gives rows", async () => {
    const stream = await streamOf(all, { blockRows: 40 });
    for (let at = 0; at < stream.length; at += 3) {
      const changed = stream.slice();
      changed[at]! ^= 0x5a;
      for (const gap of [0, 2 ** 20]) {
        const read = async () => {
          const view = await open(counted(changed, gap));
          await view.column("tags.tag");
          return JSON.stringify([...(await view.rows())]);
        };
        await read().then(
          (rows) => expect(at < 16 || rows === JSON.stringify(all)).toBe(true),
          (error) => expect(error).toMatchObject({ name: "HoldallError" }),
        );
      }
    }
  });

  test("of fewer bytes than it says is an error", async () => {
    const short = { byteLength: bytes.length, slice: (start: number, end: number) => bytes.slice(start, end - 1) };
    await expect(open(short)).rejects.toMatchObject({ code: "io" });
  });

  test.each(
    vectors("streams")
      .filter((vector) => vector.code === undefined && vector.schema_hex === undefined)
      .map((vector) => [vector.name, vector] as const),
  )("reads the values of the vector %s", async (_, vector) => {
    const stream = Uint8Array.from(Buffer.from(vector.hex.replaceAll(" ", ""), "hex"));
    const view = await open(counted(stream, 0));
    expect(view.length).toBe(vector["values"].length);
    expect(view.metadata).toEqual(vector.metadata);
    expect((await view.rows()).length).toBe(vector["values"].length);
  });
});

describe("a file, a Blob, a URL", () => {
  const folder = mkdtempSync(join(tmpdir(), "holdall-"));
  const path = join(folder, "trips.hold");
  let bytes: Uint8Array;
  const asked: (string | undefined)[] = [];
  let ranges = true;
  let tag = '"1"';
  const server = createServer((request, response) => {
    asked.push(request.headers.range);
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
    response.setHeader("ETag", tag);
    if (request.url === "/missing") {
      response.statusCode = 404;
      response.end();
      return;
    }
    if (range === null || !ranges) {
      response.setHeader("Content-Length", bytes.length);
      response.end(bytes);
      return;
    }
    const end = Math.min(bytes.length, Number(range[2]) + 1);
    response.statusCode = 206;
    if (request.url !== "/hidden") response.setHeader("Content-Range", `bytes ${range[1]}-${end - 1}/${bytes.length}`);
    response.end(bytes.subarray(Number(range[1]), end));
  });
  let url: string;

  beforeAll(async () => {
    bytes = await streamOf(trips(20_000));
    writeFileSync(path, bytes);
    await new Promise<void>((resolve) => server.listen(0, resolve));
    url = `http://localhost:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await new Promise((resolve) => server.close(resolve));
  });

  test("are sources", async () => {
    const handle = await openFile(path);
    try {
      for (const source of [
        await fileSource(handle),
        await fileSource(new Blob([bytes.slice()])),
        await urlSource(url),
      ]) {
        const view = await open(source);
        expect((await view.column("id")).length).toBe(20_000);
        expect((await view.rows(19_999)).at(0)?.["id"]).toBe(19_999);
      }
    } finally {
      await handle.close();
    }
  });

  test("a URL takes at most 3 requests", async () => {
    for (const ask of ["column", "rows"]) {
      asked.length = 0;
      const view = await open(await urlSource(url));
      if (ask === "column") await view.column("km");
      else await view.rows(10_000, 10_001);
      expect(asked.length).toBeLessThanOrEqual(3);
      expect(asked).not.toContain(undefined);
    }
  });

  test("a URL of a server that hides the length, or answers no ranges, is read too", async () => {
    const hidden = await open(await urlSource(`${url}/hidden`));
    expect(hidden.length).toBe(20_000);
    ranges = false;
    try {
      asked.length = 0;
      const view = await open(await urlSource(url));
      expect((await view.column("id")).length).toBe(20_000);
      expect(asked.length).toBe(1);
    } finally {
      ranges = true;
    }
  });

  test("a URL that is missing, or changes, is an error", async () => {
    await expect(urlSource(`${url}/missing`)).rejects.toMatchObject({ code: "io" });
    const source = await urlSource(url);
    tag = '"2"';
    await expect(open(source)).rejects.toMatchObject({ code: "io" });
  });
});
