/** Continues a stream in a file (F-90). */

import { indexedFrames } from "../view/frame-index.js";
import { type FileHandle, fileSource, HEAD, sliceOf } from "../view/source.js";
import * as F from "./frame.js";
import { FrameWriter } from "./frames.js";
import { handleSink, type Sink, type WritableFile } from "./sink.js";

/** A handle of `node:fs/promises`, opened with the flag `r+`. */
export interface AppendedFile extends FileHandle, WritableFile {
  truncate(length: number): Promise<void>;
}

/** Where a stream goes on. */
export class Continued {
  constructor(
    readonly sink: Sink,
    readonly frames: FrameWriter,
  ) {}
}

/** Cuts off what follows the last complete frame; undefined if the file is empty. */
export async function continueIn(file: AppendedFile): Promise<Continued | undefined> {
  const source = await fileSource(file);
  if (source.byteLength === 0) return undefined;
  const head = await sliceOf(source, 0, Math.min(HEAD, source.byteLength));
  F.checkPreamble(head);
  const sync = head.slice(8, F.PREAMBLE_SIZE);
  const places = await indexedFrames(source, head, sync, F.LARGEST_PAYLOAD);
  const last = places[places.length - 1];
  if (last !== undefined) F.frameAt(await sliceOf(source, last.at, last.end), 0, sync, F.LARGEST_PAYLOAD, last.at);
  const end = last?.end ?? F.PREAMBLE_SIZE;
  await file.truncate(end);
  const index = places.map((place): [number, number] => [(place.end - place.at) / 8, place.roots]);
  return new Continued(handleSink(file, end), new FrameWriter(sync, index));
}
