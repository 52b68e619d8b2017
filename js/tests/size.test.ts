/** The package does not grow unnoticed. If it grows for a reason, raise the bound in `scripts/size.mjs`. */

import { expect, test } from "vitest";

interface Size {
  readonly name: string;
  readonly code: string;
  readonly bound: number;
}

const script: string = new URL("../scripts/size.mjs", import.meta.url).href;
const { SIZES, measure }: { SIZES: Size[]; measure(code: string): Promise<number> } = await import(script);

test.each(SIZES)("$name has at most $bound bytes", async ({ code, bound }) => {
  expect(await measure(code)).toBeLessThanOrEqual(bound);
});
