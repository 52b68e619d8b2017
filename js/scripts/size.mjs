// Bundles each entry with esbuild, minified, and prints its size after gzip beside its limit. Fails if one is exceeded.
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const kB = 1000;
/** An entry of the package as code that imports it, and the most bytes it may have. */
export const LIMITS = [
  ["holdall/read without zstd", 'export * from "./src/read.ts"', 12 * kB],
  ["holdall/read with zstd", 'export * from "./src/read.ts"; export * from "./src/zstd.ts"', 16 * kB],
  [
    "holdall, holdall/stream and holdall/zstd",
    'export * from "./src/index.ts"; export * from "./src/stream.ts"; export * from "./src/zstd.ts"',
    28 * kB,
  ],
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
  for (const [name, contents, limit] of LIMITS) {
    const size = await measure(contents);
    console.log(`${String(size).padStart(6)} of ${limit} bytes  ${name}`);
    if (size > limit) process.exitCode = 1;
  }
}
