import { expect, test } from "vitest";
import { dumps, open } from "../src/index.js";

const trips = Array.from({ length: 100 }, (_, i) => ({
  id: i,
  km: i / 3 + 0.25,
  name: `trip ${i}`,
  end: { x: i * 2, y: 7 - i },
  stop: i % 3 === 0 ? null : { x: i },
}));
const bytes = dumps(trips);

test("a column of numbers is a typed array", () => {
  const view = open(bytes);
  for (const path of ["id", "km", "end.y"]) expect(ArrayBuffer.isView(view.column(path))).toBe(true);
  expect(Array.from(view.column("id"))).toEqual(trips.map((trip) => trip.id));
  expect(Array.from(view.column("end.y"))).toEqual(trips.map((trip) => trip.end.y));
  expect(view.column("km")).toEqual(Float64Array.from(trips, (trip) => trip.km));
});

test("a column of text, and one inside options", () => {
  const view = open(bytes);
  expect(view.column("name")).toEqual(trips.map((trip) => trip.name));
  expect(view.column("stop.x")).toEqual(trips.map((trip) => trip.stop?.x ?? null));
});

test("lazy rows read as the objects do", () => {
  const { rows } = open(bytes);
  expect(rows.length).toBe(100);
  expect(JSON.stringify([...rows])).toBe(JSON.stringify(trips));
  expect(rows.at(7)?.["name"]).toBe("trip 7");
  expect(rows.at(100)).toBeUndefined();
});

test("names a field that is missing", () => {
  expect(() => open(bytes).column("end.z")).toThrow(
    expect.objectContaining({ code: "missing_field", path: "$[].end" }),
  );
});
