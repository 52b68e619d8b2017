/** The data to measure. Files are asked for by their names: `text(name)` is their text, or undefined. */

const FLIGHT_ROWS = 100_000;

/** A generator of numbers from 0 to 1, the same in each run. */
function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** The first rows of the flights of 2013, as objects of 19 fields. Missing numbers are null. */
function flights(text) {
  const file = text("flights.csv");
  if (file === undefined) return undefined;
  const [head, ...lines] = file.split("\n", FLIGHT_ROWS + 1);
  const names = head.split(",");
  const numbers = lines[0].split(",").map((cell) => cell !== "" && !Number.isNaN(Number(cell)));
  return JSON.parse(
    JSON.stringify(
      lines.map((line) => {
        const row = {};
        line.split(",").forEach((cell, i) => {
          row[names[i]] = cell === "" || cell === "NA" ? null : numbers[i] ? Number(cell) : cell;
        });
        return row;
      }),
    ),
  );
}

function json(text, name) {
  const file = text(name);
  return file && JSON.parse(file);
}

/** Events as a code host sends them, of four kinds and about 300 bytes of JSON each. */
function events() {
  const next = random(7);
  const whole = (below) => Math.floor(next() * below);
  return Array.from({ length: 1000 }, (_, i) => {
    const kind = ["PushEvent", "WatchEvent", "IssuesEvent", "ForkEvent"][whole(4)];
    const payload = {
      PushEvent: () => ({ push_id: whole(1e9), size: whole(5), ref: "refs/heads/main", distinct_size: whole(3) }),
      WatchEvent: () => ({ action: "started" }),
      IssuesEvent: () => ({ action: "opened", issue: { number: whole(5000), title: `Problem ${i}`, labels: ["bug"] } }),
      ForkEvent: () => ({ forkee: { id: whole(1e9), name: `fork${whole(100)}`, private: next() < 0.1 } }),
    }[kind]();
    return {
      id: String(24_000_000_000 + i * 17),
      type: kind,
      actor: { id: whole(1e8), login: `user${whole(1e5)}`, url: `https://api.example.com/users/user${whole(1e5)}` },
      repo: { id: whole(1e9), name: `org${whole(500)}/repo${whole(1e4)}` },
      payload,
      public: true,
      created_at: new Date(1.7e12 + i * 1000).toISOString(),
    };
  });
}

/** Rides of a bike-sharing system, as its monthly files have them. */
function trips() {
  const next = random(11);
  const whole = (below) => Math.floor(next() * below);
  const stations = Array.from({ length: 800 }, (_, i) => ({
    name: `${whole(100) + 1} Ave & ${whole(200) + 1} St`,
    id: (4000 + i * 7 + 0.01 * whole(20)).toFixed(2),
    lat: Number((40.65 + next() * 0.2).toFixed(6)),
    lng: Number((-74.05 + next() * 0.15).toFixed(6)),
  }));
  let at = 1.7e12;
  return Array.from({ length: 50_000 }, () => {
    at += whole(2000);
    const start = stations[whole(800)];
    const end = next() < 0.005 ? undefined : stations[whole(800)];
    return {
      ride_id: Array.from({ length: 4 }, () => whole(65_536).toString(16).toUpperCase().padStart(4, "0")).join(""),
      rideable_type: next() < 0.6 ? "electric_bike" : "classic_bike",
      started_at: new Date(at).toISOString().replace("T", " ").slice(0, 23),
      ended_at: new Date(at + whole(3_600_000)).toISOString().replace("T", " ").slice(0, 23),
      start_station_name: start.name,
      start_station_id: start.id,
      end_station_name: end?.name ?? null,
      end_station_id: end?.id ?? null,
      start_lat: start.lat,
      start_lng: start.lng,
      end_lat: end?.lat ?? null,
      end_lng: end?.lng ?? null,
      member_casual: next() < 0.8 ? "member" : "casual",
    };
  });
}

/** A tree in which each node links to its parent: cycles. */
function graph() {
  const next = random(5);
  const nodes = [{ name: "root", parent: null, children: [] }];
  for (let i = 1; i < 20_000; i++) {
    const parent = nodes[Math.floor(next() * nodes.length)];
    const node = { name: `node${i}`, parent, children: [] };
    parent.children.push(node);
    nodes.push(node);
  }
  return nodes[0];
}

function typedArrays() {
  const next = random(3);
  return {
    positions: Float32Array.from({ length: 300_000 }, () => next() * 100),
    indices: Uint32Array.from({ length: 300_000 }, () => next() * 1e5),
    weights: Float64Array.from({ length: 100_000 }, next),
  };
}

function strings() {
  const next = random(9);
  return Array.from({ length: 50_000 }, (_, i) => `line ${i}: ${Math.floor(next() * 1e9).toString(36)} é ${i % 7}`);
}

/** Each case: its name, its values (those of `events` are written one by one), and what a coding must be able to hold. */
const CASES = [
  { name: "events", make: events },
  { name: "twitter", make: (text) => [json(text, "twitter.json")] },
  { name: "citm_catalog", make: (text) => [json(text, "citm_catalog.json")] },
  { name: "canada", make: (text) => [json(text, "canada.json")] },
  { name: "validators", make: (text) => [json(text, "validators.json")] },
  { name: "districts", make: (text) => [json(text, "districts.json")] },
  { name: "subdivisions", make: (text) => [json(text, "subdivisions.json")] },
  { name: "graph", make: () => [graph()], needs: "cycles" },
  { name: "typed-arrays", make: () => [typedArrays()], needs: "typed arrays" },
  { name: "strings", make: () => [strings()] },
  { name: "flights", make: (text) => [flights(text)], table: true },
  { name: "trips", make: () => [trips()], table: true },
];

export const NAMES = CASES.map(({ name }) => name);

/** A case with its values; undefined if its file is missing. */
export function caseOf(name, text) {
  const found = CASES.find((each) => each.name === name);
  const values = found.make(text);
  return values[0] === undefined ? undefined : { ...found, values };
}
