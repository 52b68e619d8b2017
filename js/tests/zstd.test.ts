/** The decoder of `node:zlib`, where the platform has one, takes and refuses the frames that the one of the package does. */

import { expect, test } from "vitest";
import { decompress as platform } from "../src/zstd/node.js";
import { decompress } from "../src/zstd.js";
import { frames } from "./frames.js";
import { vectors } from "./vectors.js";

test("both decoders take the same frames", () => {
  const all = frames([...vectors("valid"), ...vectors("invalid")]);
  expect(all.length).toBeGreaterThan(50);
  for (const [payload, size] of all) {
    const content = decompress(payload, size);
    const found = platform(payload, size);
    expect(found && Array.from(found)).toEqual(content && Array.from(content));
  }
});
