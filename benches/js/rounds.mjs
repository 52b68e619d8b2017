/** Measures one case: bytes and times of each coding. Rounds are interleaved: each coding has one in turn. */

import { peers } from "./peers.mjs";

/** Each function runs as long before it is measured, so that its code is compiled. */
const WARM_MS = 100;

/** About how many bytes a value has: its text without cycles, and its typed arrays. */
function roughSize(root) {
  const seen = new Set();
  let arrays = 0;
  const text = JSON.stringify([root], (_, value) => {
    if (typeof value !== "object" || value === null) return value;
    if (ArrayBuffer.isView(value)) arrays += value.byteLength;
    if (seen.has(value) || ArrayBuffer.isView(value)) return undefined;
    seen.add(value);
    return value;
  });
  return text.length + arrays;
}

function sizeOf(written) {
  return typeof written === "string" ? new TextEncoder().encode(written).length : written.length;
}

/**
 * `now` is the time in ms, `chosen` the one of several times that counts, `isEqual` compares values; `times` as many
 * repetitions are for a clock of few digits.
 */
export async function measured(holdall, given, rounds, { now, chosen, isEqual, times = 1 }) {
  const { values } = given;
  // Small values take many repetitions in a round.
  const size = roughSize(values[0]);
  const repeat = values.length > 1 ? 10 : times * Math.max(1, Math.round(20_000 / size));

  const timed = async (work) => {
    const start = now();
    for (let i = 0; i < repeat; i++) for (const each of work.items) await work.run(each);
    return now() - start;
  };

  /** Without waiting for results that are no promise. */
  const timedNow = (work) => {
    const start = now();
    for (let i = 0; i < repeat; i++) for (const each of work.items) work.run(each);
    return now() - start;
  };

  const results = [];
  for (const peer of peers(holdall, given)) {
    const result = { name: peer.name, write: [], read: [] };
    try {
      result.given = peer.prepare ? values.map(peer.prepare) : values;
      const written = result.given.map((value) => peer.write(value));
      result.bytes = written.reduce((sum, each) => sum + sizeOf(each), 0);
      if (peer.read) {
        const read = await peer.read(written[0]);
        const plain = peer.plain ? peer.plain(read) : read;
        result.equal = given.needs === undefined ? isEqual(JSON.parse(JSON.stringify(plain)), values[0]) : isEqual(plain, values[0]);
      }
      result.written = written;
      result.peer = peer;
    } catch (error) {
      result.error = String(error.message).slice(0, 90);
    }
    results.push(result);
  }
  for (const { peer, given: items, written } of results) {
    if (!peer) continue;
    for (const end = now() + WARM_MS; now() < end; ) timedNow({ items, run: peer.write });
    if (peer.read) for (const end = now() + WARM_MS; now() < end; ) await timed({ items: written, run: peer.read });
  }
  for (let round = 0; round < Number(rounds); round++) {
    for (const result of results) {
      const { peer, written } = result;
      if (!peer) continue;
      result.write.push(timedNow({ items: result.given, run: peer.write }));
      if (!peer.read) continue;
      const isAsync = peer.name === "hyparquet";
      result.read.push(await (isAsync ? timed : timedNow)({ items: written, run: peer.read }));
    }
  }
  return results.map(({ name: peer, write, read, bytes, equal, error }) => ({
    peer,
    bytes,
    equal,
    error,
    write: write.length > 0 ? chosen(write) / repeat : null,
    read: read.length > 0 ? chosen(read) / repeat : null,
  }));
}
