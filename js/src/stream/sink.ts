/** Where a `Writer` writes: streams of the web and of Node, file handles, arrays. */

/** Takes bytes in order. */
export interface Sink {
  write(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** A stream of Node. */
interface NodeWritable {
  write(bytes: Uint8Array, done: (error?: Error | null) => void): boolean;
  end(done: () => void): unknown;
}

/** A handle of `node:fs/promises`. */
export interface WritableFile {
  write(
    bytes: Uint8Array,
    offset: number,
    length: number,
    position?: number | null,
  ): Promise<{ readonly bytesWritten: number }>;
  readonly fd: number;
}

/** The sink of a target. A file handle stays open, and an array is only added to. */
export function sinkOf(target: unknown): Sink {
  if (Array.isArray(target)) {
    return {
      async write(bytes) {
        target.push(bytes);
      },
      async close() {},
    };
  }
  if (typeof target === "object" && target !== null) {
    if ("getWriter" in target) {
      const writer = (target as WritableStream<Uint8Array>).getWriter();
      return { write: (bytes) => writer.write(bytes), close: () => writer.close() };
    }
    if ("fd" in target && "write" in target && !("end" in target)) return handleSink(target as WritableFile);
    if ("write" in target && "end" in target) return nodeSink(target as NodeWritable);
  }
  throw new TypeError("a Writer needs a WritableStream, a stream of Node, a file handle or an array");
}

/** Writes where the handle is, or from a position on. */
export function handleSink(handle: WritableFile, start?: number): Sink {
  let position = start;
  return {
    async write(bytes) {
      for (let at = 0; at < bytes.length; ) {
        const { bytesWritten } = await handle.write(bytes, at, bytes.length - at, position);
        at += bytesWritten;
        if (position !== undefined) position += bytesWritten;
      }
    },
    async close() {},
  };
}

function nodeSink(stream: NodeWritable): Sink {
  return {
    write: (bytes) =>
      new Promise((resolve, reject) => {
        stream.write(bytes, (error) => (error ? reject(error) : resolve()));
      }),
    close: () => new Promise((resolve) => void stream.end(() => resolve())),
  };
}
