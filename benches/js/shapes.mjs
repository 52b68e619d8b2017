/** What values have in common, from which schemas of codings are made that need one. */

/** A name of a field in Avro and Protobuf. Objects with other keys are maps. */
const NAME = /^[A-Za-z]\w*$/;

/**
 * The kinds of all values (`string`, `number`, `boolean`, `list`, `map`, `record`), whether one is null, and the shapes inside:
 * `item` of lists, `value` of maps, `fields` of records by name, each with whether an object lacks it.
 */
export function shapeOf(values) {
  const some = values.filter((value) => value !== null);
  const lists = some.filter(Array.isArray);
  const objects = some.filter((value) => typeof value === "object" && !Array.isArray(value));
  const numbers = some.filter((value) => typeof value === "number");
  const names = new Set(objects.flatMap((object) => Object.keys(object)));
  const isMap = [...names].some((name) => !NAME.test(name));
  const shape = {
    hasNull: some.length < values.length,
    hasEmpty: lists.some((list) => list.length === 0),
    isWhole: numbers.every(Number.isSafeInteger),
    isSmall: numbers.every((number) => number === (number | 0)),
    kinds: new Set(some.map((value) => (Array.isArray(value) ? "list" : typeof value !== "object" ? typeof value : isMap ? "map" : "record"))),
  };
  if (lists.length > 0) shape.item = shapeOf(lists.flat());
  if (isMap) shape.value = shapeOf(objects.flatMap(Object.values));
  else if (objects.length > 0) shape.fields = new Map([...names].map((name) => [name, fieldOf(objects, name)]));
  return shape;
}

function fieldOf(objects, name) {
  const having = objects.filter((object) => Object.hasOwn(object, name));
  return { shape: shapeOf(having.map((object) => object[name])), isAbsent: having.length < objects.length };
}

/** Data that a coding cannot hold, with the reason. */
export class Unfit extends Error {}
