// Bundles each entry with esbuild, minified, and prints its size after gzip beside its bound, which is what it had reached
// when the bound was set, and beside its target. Fails if a bound is exceeded; a test does the same.
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

/** An entry of the package as code that imports it, the most bytes that it may have, and how many it should have. */
export const SIZES = [
  { name: "holdall/read without zstd", code: 'export * from "./src/read.ts"', bound: 24_050, target: 12_000 },
  {
    name: "holdall/read with zstd",
    code: 'export * from "./src/read.ts"; export * from "./src/zstd.ts"',
    bound: 27_400,
    target: 16_000,
  },
  {
    name: "holdall, holdall/stream and holdall/zstd",
    code: 'export * from "./src/index.ts"; export * from "./src/stream.ts"; export * from "./src/zstd.ts"',
    bound: 59_950,
    target: 28_000,
  },
];

/** The bytes of a bundle after minification and gzip. */
export async function measure(contents) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: new URL("..", import.meta.url).pathname, loader: "ts" },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2022",
    platform: "browser",
  });
  return gzipSync(outputFiles[0].contents, { level: 9 }).length;
}

if (import.meta.url === `file://${process.argv[1]}`) {
  for (const { name, code, bound, target } of SIZES) {
    const size = await measure(code);
    console.log(`${size} of at most ${bound} bytes, target ${target}: ${name}`);
    if (size > bound) process.exitCode = 1;
  }
}
