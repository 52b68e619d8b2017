/** Dictionaries that messages were compressed with (F-101; RFC 8878, chapter 5). */

import { HoldallError } from "../error.js";
import { xxh3 } from "../kernel/xxh3.js";
import { type FseTable, readFseTable, readHuffman } from "./entropy.js";
import { decompressFrame, LIMITS, type Tables } from "./frame.js";
import { bad, checkEnd, numberAt, readHeader } from "./header.js";

const MAGIC = 0xec30a437;
/** The tables follow the magic number and an ID. */
const TABLES = 8;

/**
 * What small messages have in common, for the option `dictionaries` of readers. `holdall train` and `Dictionary` of Python and
 * Rust make the bytes, and compress messages with them; this package reads such messages, and writes none.
 */
export class Dictionary {
  /** The hash by which messages name the dictionary. */
  readonly hash: bigint;
  private readonly tables: Tables;

  /** Reads the bytes of a dictionary, or throws `bad_input`. */
  constructor(bytes: Uint8Array) {
    try {
      this.tables = readTables(bytes);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new HoldallError("bad_input", { expected: "a dictionary of zstd", got: `${bytes.length} other bytes` });
    }
    this.hash = xxh3(bytes);
  }

  /**
   * The content of a frame without its magic number, or undefined if it is no such frame. `charge` gets the size that the
   * frame states, before there is room for it.
   * @internal
   */
  content(frame: Uint8Array, charge: (size: number) => void): Uint8Array | undefined {
    try {
      const header = readHeader(frame, false);
      checkEnd(frame, header);
      charge(header.size);
      return decompressFrame(frame, header, this.tables);
    } catch (error) {
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }
}

function readTables(bytes: Uint8Array): Tables {
  if (numberAt(bytes, 0, 4) !== MAGIC) throw bad();
  const huffman = readHuffman(bytes.subarray(TABLES));
  let at = TABLES + huffman.length;
  const next = ([accuracy, largest]: readonly [number, number]): FseTable => {
    const read = readFseTable(bytes.subarray(at), accuracy, largest);
    at += read.length;
    return read.table;
  };
  // In another order than in blocks.
  const [offsets, matches, lengths] = [next(LIMITS[1]), next(LIMITS[2]), next(LIMITS[0])];
  const recent = [0, 4, 8].map((from) => numberAt(bytes, at + from, 4)) as [number, number, number];
  // A copy of Node's Buffer, too.
  const history = new Uint8Array(bytes.subarray(at + 12));
  if (recent.some((offset) => offset === 0 || offset > history.length)) throw bad();
  return { offsets: recent, huffman: huffman.table, tables: [lengths, offsets, matches], history };
}
