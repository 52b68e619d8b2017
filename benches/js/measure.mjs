/** Measures one case: prints JSON with bytes and medians of each coding. Rounds are interleaved: each coding has one in turn. */

import { isDeepStrictEqual } from "node:util";
import { caseOf } from "./cases.mjs";
import { peers } from "./peers.mjs";

const [module, folder, name, rounds] = process.argv.slice(2);
const holdall = await import(module);
const given = caseOf(name, folder);
if (given === undefined) {
  console.log("[]");
  process.exit();
}
const { values } = given;
// Small values take many repetitions in a round.
// A compiler needs some rounds, too.
const repeat = values.length > 1 ? 10 : Math.max(1, Math.round(20_000 / (JSON.stringify([values[0]], noCycles())?.length ?? 1e6)));

function noCycles() {
  const seen = new Set();
  return (_, value) => {
    if (typeof value !== "object" || value === null) return value;
    if (seen.has(value) || ArrayBuffer.isView(value)) return undefined;
    seen.add(value);
    return value;
  };
}

/** The processor's time in ms: on a busy machine it varies less than that of the clock. */
function now() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

async function timed(work) {
  const start = now();
  for (let i = 0; i < repeat; i++) for (const each of work.items) await work.run(each);
  return now() - start;
}

/** Without waiting for results that are no promise. */
function timedNow(work) {
  const start = now();
  for (let i = 0; i < repeat; i++) for (const each of work.items) work.run(each);
  return now() - start;
}

const results = [];
for (const peer of peers(holdall, given)) {
  const result = { name: peer.name, write: [], read: [] };
  try {
    result.given = peer.prepare ? values.map(peer.prepare) : values;
    const written = result.given.map((value) => peer.write(value));
    result.bytes = written.reduce((sum, each) => sum + (typeof each === "string" ? Buffer.byteLength(each) : each.length), 0);
    if (peer.read) {
      const read = await peer.read(written[0]);
      const plain = peer.plain ? peer.plain(read) : read;
      result.equal = given.needs === undefined ? isDeepStrictEqual(JSON.parse(JSON.stringify(plain)), values[0]) : isDeepStrictEqual(plain, values[0]);
    }
    result.written = written;
    result.peer = peer;
  } catch (error) {
    result.error = String(error.message).slice(0, 90);
  }
  results.push(result);
}
/** Each function runs as long before it is measured, so that its code is compiled. */
const WARM_MS = 100;

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
const median = (times) => (times.length > 0 ? times.sort((a, b) => a - b)[times.length >> 1] / repeat : null);
console.log(
  JSON.stringify(
    results.map(({ name: peer, write, read, bytes, equal, error }) => ({
      peer,
      bytes,
      equal,
      error,
      write: median(write),
      read: median(read),
    })),
  ),
);
