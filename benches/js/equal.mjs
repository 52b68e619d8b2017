/** Whether values have the same classes, keys in any order, contents and cycles, as `isDeepStrictEqual` of Node says. */
export function isEqual(value, other) {
  const partners = new Map();
  const pairs = [[value, other]];
  while (pairs.length > 0) {
    const [a, b] = pairs.pop();
    if (Object.is(a, b)) continue;
    if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
    if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
    if (partners.has(a)) {
      if (partners.get(a) !== b) return false;
      continue;
    }
    partners.set(a, b);
    if (ArrayBuffer.isView(a)) {
      if (a.length !== b.length || !a.every((item, i) => Object.is(item, b[i]))) return false;
      continue;
    }
    const keys = Object.keys(a);
    if (keys.length !== Object.keys(b).length) return false;
    for (const key of keys) {
      if (!Object.hasOwn(b, key)) return false;
      pairs.push([a[key], b[key]]);
    }
  }
  return true;
}
