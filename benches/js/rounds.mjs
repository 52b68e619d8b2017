/** Measures one case: bytes and times of each coding. Rounds are interleaved: each coding has one in turn. */

import { peers } from "./peers.mjs";

/** Each function runs as long before it is measured, so that its code is compiled. */
const WARM_MS = 100;
/** In a round it runs about as long: in less time, the least of several rounds would have no garbage to collect. */
const ROUND_MS = 20;

function sizeOf(written) {
  return typeof written === "string" ? new TextEncoder().encode(written).length : written.length;
}

/** `now` is the time in ms, `chosen` the one of several times that counts, `isEqual` compares values. */
export async function measured(holdall, given, rounds, { now, chosen, isEqual }) {
  const { values } = given;

  /** The time of one of the repetitions. */
  const timed = async ({ items, run, repeat }) => {
    const start = now();
    for (let i = 0; i < repeat; i++) for (const each of items) await run(each);
    return (now() - start) / repeat;
  };

  /** Without waiting for results that are no promise. */
  const timedNow = ({ items, run, repeat }) => {
    const start = now();
    for (let i = 0; i < repeat; i++) for (const each of items) run(each);
    return (now() - start) / repeat;
  };

  /** What runs in a round, after it is warm. */
  const warmed = async (items, run, time) => {
    const once = { items, run, repeat: 1 };
    const start = now();
    let count = 0;
    for (; count === 0 || now() - start < WARM_MS; count++) await time(once);
    return { ...once, time, repeat: Math.max(1, Math.round((count * ROUND_MS) / (now() - start))) };
  };

  const results = [];
  for (const peer of peers(holdall, given)) {
    const result = { name: peer.name, write: [], read: [] };
    try {
      if (peer.reason) throw new Error(peer.reason);
      result.given = peer.prepare ? values.map(peer.prepare) : values;
      const written = result.given.map((value) => peer.write(value));
      result.bytes = written.reduce((sum, each) => sum + sizeOf(each), 0);
      if (peer.read) {
        result.equal = true;
        for (const [i, value] of values.entries()) {
          const read = await peer.read(written[i]);
          const plain = peer.plain ? peer.plain(read) : read;
          // A few read objects of classes, whose fields are the same.
          if (!isEqual(given.needs === undefined ? JSON.parse(JSON.stringify(plain)) : plain, value)) result.equal = false;
        }
      }
      result.written = written;
      result.peer = peer;
    } catch (error) {
      result.error = String(error.message).slice(0, 90);
    }
    results.push(result);
  }
  for (const result of results) {
    const { peer, given: items, written } = result;
    if (!peer) continue;
    result.writing = await warmed(items, peer.write, timedNow);
    if (peer.read) result.reading = await warmed(written, peer.read, peer.name === "hyparquet" ? timed : timedNow);
  }
  for (let round = 0; round < rounds; round++) {
    for (const { write, read, writing, reading } of results) {
      if (writing) write.push(await writing.time(writing));
      if (reading) read.push(await reading.time(reading));
    }
  }
  return results.map(({ name: peer, write, read, bytes, equal, error }) => ({
    peer,
    bytes,
    equal,
    error,
    write: write.length > 0 ? chosen(write) : null,
    read: read.length > 0 ? chosen(read) : null,
  }));
}
