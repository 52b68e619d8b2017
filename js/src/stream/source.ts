/** What a stream is read from, as chunks of bytes. */

import { HoldallError } from "../error.js";
import { asBytes, type Bytes } from "../kernel/input.js";

/** A file handle of `node:fs/promises`, which is read from its position on and stays open. */
export interface ReadableFile {
  read(buffer: Uint8Array, offset: number, length: number, position: null): Promise<{ readonly bytesRead: number }>;
}

/** Bytes, a Blob or File, a WHATWG ReadableStream, a Node stream, a file handle, or anything to iterate that yields bytes. */
export type StreamSource = Bytes | Blob | ReadableStream<Bytes> | AsyncIterable<Bytes> | Iterable<Bytes> | ReadableFile;

/** The bytes that are read of a file at once. */
const FILE_CHUNK = 65_536;

/** The chunks of a source. */
export async function* chunksOf(source: StreamSource): AsyncGenerator<Uint8Array> {
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) yield asBytes(source);
  else if (source instanceof Blob) yield* readAll(source.stream());
  else if (source instanceof ReadableStream) yield* readAll(source);
  else if (Symbol.asyncIterator in source || Symbol.iterator in source) {
    for await (const chunk of source as AsyncIterable<Bytes>) yield asBytes(chunk);
  } else if ("read" in source) yield* readFile(source);
  else throw new HoldallError("io", { got: "a source without bytes" });
}

async function* readFile(file: ReadableFile): AsyncGenerator<Uint8Array> {
  for (;;) {
    const chunk = new Uint8Array(FILE_CHUNK);
    const { bytesRead } = await file.read(chunk, 0, FILE_CHUNK, null);
    if (bytesRead === 0) return;
    yield chunk.subarray(0, bytesRead);
  }
}

/** Not every engine iterates a ReadableStream. */
async function* readAll(stream: ReadableStream<Bytes>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield asBytes(value);
    }
  } finally {
    await reader.cancel();
  }
}

/** The bytes that were received and not yet consumed. */
export class Received {
  bytes: Uint8Array = new Uint8Array(0);
  /** The offset of `bytes` in the stream. */
  origin = 0;
  /** Whether nothing follows. */
  ended = false;

  constructor(private readonly chunks: AsyncIterator<Uint8Array>) {}

  /** Receives until there are that many bytes, or the source ends; returns whether there are. */
  async fill(size: number): Promise<boolean> {
    let length = this.bytes.length;
    if (length >= size || this.ended) return length >= size;
    const parts = [this.bytes];
    while (length < size) {
      const { done, value } = await this.chunks.next();
      if (done) {
        this.ended = true;
        break;
      }
      parts.push(value);
      length += value.length;
    }
    const all = new Uint8Array(length);
    let at = 0;
    for (const part of parts) {
      all.set(part, at);
      at += part.length;
    }
    this.bytes = all;
    return length >= size;
  }

  /** Moves past bytes. */
  consume(size: number): void {
    this.bytes = this.bytes.subarray(size);
    this.origin += size;
  }

  /** Reports to the source that no more is read. */
  async close(): Promise<void> {
    await this.chunks.return?.();
  }
}
