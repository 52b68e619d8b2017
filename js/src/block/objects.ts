/** Objects from columns: plain objects whose keys are own properties, whatever they are. */

/** Sets an own property. Assigning `__proto__` would change the prototype instead. */
export function setOwn(object: { [key: string]: unknown }, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else object[key] = value;
}

type Columns = readonly ArrayLike<unknown>[];

/**
 * n objects with these keys, from a column for each. A literal with computed keys creates own properties, and V8 makes the
 * object at once; it is unrolled for 8 fields, and the others are added.
 */
export function makeObjects(keys: readonly string[], columns: Columns, n: number): object[] {
  const rows: { [key: string]: unknown }[] = new Array(n);
  const count = keys.length;
  if (count >= 8) {
    const [a, b, c, d, e, f, g, h] = keys as [string, string, string, string, string, string, string, string];
    const [A, B, C, D, E, F, G, H] = columns as unknown as [
      Column,
      Column,
      Column,
      Column,
      Column,
      Column,
      Column,
      Column,
    ];
    for (let i = 0; i < n; i++) {
      rows[i] = { [a]: A[i], [b]: B[i], [c]: C[i], [d]: D[i], [e]: E[i], [f]: F[i], [g]: G[i], [h]: H[i] };
    }
    addFields(rows, keys, columns, 8);
  } else {
    for (let i = 0; i < n; i++) rows[i] = {};
    addFields(rows, keys, columns, 0);
  }
  return rows;
}

type Column = ArrayLike<unknown>;

function addFields(rows: { [key: string]: unknown }[], keys: readonly string[], columns: Columns, from: number): void {
  const plain = !keys.includes("__proto__");
  const count = keys.length;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!;
    if (plain) for (let j = from; j < count; j++) row[keys[j]!] = columns[j]![i];
    else for (let j = from; j < count; j++) setOwn(row, keys[j]!, columns[j]![i]);
  }
}
