/** What `open` reads parts of: a file, a Blob, a URL, or anything with a length and a way to get a range of its bytes. */

import { HoldallError } from "../error.js";
import { asBytes, type Bytes } from "../kernel/input.js";

/** Bytes of which ranges can be asked for. */
export interface Source {
  readonly byteLength: number;
  /** The bytes from `start` up to but without `end`. */
  slice(start: number, end: number): Bytes | Promise<Bytes>;
  /** Two ranges no further apart than this are asked for at once. Default: 1 MiB, which suits a network. */
  readonly gap?: number;
}

/** A handle of `node:fs/promises`. */
export interface FileHandle {
  stat(): Promise<{ readonly size: number }>;
  read(buffer: Uint8Array, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>;
}

const FILE_GAP = 16_384;

/** The source of a Blob or File, or of a handle that `open` of `node:fs/promises` gave. */
export async function fileSource(file: Blob | FileHandle): Promise<Source> {
  if (file instanceof Blob) {
    return {
      byteLength: file.size,
      gap: FILE_GAP,
      slice: (start, end) => file.slice(start, end).arrayBuffer(),
    };
  }
  const { size } = await file.stat();
  return {
    byteLength: size,
    gap: FILE_GAP,
    async slice(start, end) {
      const bytes = new Uint8Array(end - start);
      for (let at = 0; at < bytes.length; ) {
        const { bytesRead } = await file.read(bytes, at, bytes.length - at, start + at);
        if (bytesRead === 0) throw new HoldallError("io", { got: `a file that ends at byte ${start + at}` });
        at += bytesRead;
      }
      return bytes;
    },
  };
}

/** The options of `urlSource`. */
export interface UrlOptions {
  readonly headers?: Readonly<{ [name: string]: string }>;
  /** In place of the global `fetch`. */
  readonly fetch?: typeof fetch;
  readonly gap?: number;
}

/** How much of a source is read first. */
export const HEAD = 65_536;

/** The source of a URL whose server answers range requests. Of a server that does not, it reads everything at once. */
export async function urlSource(url: string | URL, options: UrlOptions = {}): Promise<Source> {
  const { headers, fetch: get = fetch, gap } = options;
  const ask = async (start: number, end: number): Promise<Response> => {
    const response = await get(url, { headers: { ...headers, Range: `bytes=${start}-${end - 1}` } });
    if (!response.ok) throw new HoldallError("io", { got: `status ${response.status} of ${url}` });
    return response;
  };
  const first = await ask(0, HEAD);
  const head = asBytes(await first.arrayBuffer());
  const shared = gap === undefined ? {} : { gap };
  if (first.status !== 206) return { byteLength: head.length, slice: (start, end) => head.subarray(start, end) };
  let total = first.headers.get("content-range")?.split("/")[1];
  if (total === undefined) {
    // A server of another origin may hide Content-Range, but not Content-Length.
    const whole = await get(url, { method: "HEAD", ...(headers && { headers }) });
    total = whole.headers.get("content-length") ?? "*";
  }
  const byteLength = Number(total);
  if (!Number.isSafeInteger(byteLength)) throw new HoldallError("io", { got: `${url} of unknown length` });
  const tag = first.headers.get("etag");
  return {
    ...shared,
    byteLength,
    async slice(start, end) {
      if (end <= head.length) return head.subarray(start, end);
      const response = await ask(start, end);
      const bytes = asBytes(await response.arrayBuffer());
      if (response.headers.get("etag") !== tag) throw new HoldallError("io", { got: `${url}, which has changed` });
      if (response.status !== 206) return bytes.subarray(start, end);
      return bytes;
    },
  };
}

/** The bytes of a range; an error if the source has not that many. */
export async function sliceOf(source: Source, start: number, end: number): Promise<Uint8Array> {
  if (end <= start) return new Uint8Array(0);
  const bytes = asBytes(await source.slice(start, end));
  if (bytes.length !== end - start) {
    throw new HoldallError("io", {
      offset: start,
      expected: `${end - start} bytes of the source`,
      got: String(bytes.length),
    });
  }
  return bytes;
}

/** How far apart two ranges of a source can be that are asked for at once. */
export function gapOf(source: Source): number {
  return source.gap ?? 2 ** 20;
}

/** Ranges near each other are asked for at once, and all requests run at the same time. */
export async function readRanges(
  source: Source,
  ranges: readonly (readonly [start: number, end: number])[],
): Promise<Uint8Array[]> {
  const gap = gapOf(source);
  const runs: { start: number; end: number }[] = [];
  for (const [start, end] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = runs[runs.length - 1];
    if (last === undefined || start - last.end > gap) runs.push({ start, end });
    else last.end = Math.max(last.end, end);
  }
  const read = await Promise.all(runs.map(({ start, end }) => sliceOf(source, start, end)));
  return ranges.map(([start, end]) => {
    const i = runs.findLastIndex((run) => run.start <= start);
    return read[i]!.subarray(start - runs[i]!.start, end - runs[i]!.start);
  });
}

/** Bytes one after the other. */
export function joinedBytes(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
