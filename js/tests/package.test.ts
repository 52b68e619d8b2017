/** The package as it is published: built, packed, and imported by each of its names. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const root = new URL("..", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "holdall-"));
const unpacked = join(folder, "node_modules", "holdall");
const exported: { readonly [name: string]: string | { readonly [condition: string]: string } } = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8"),
).exports;
let tarball = "";

beforeAll(() => {
  const printed = execFileSync("npm", ["pack", "--json", "--silent", "--pack-destination", folder], {
    cwd: root,
    encoding: "utf8",
  });
  tarball = join(folder, /"filename": "(.*)"/.exec(printed)![1]!);
  mkdirSync(unpacked, { recursive: true });
  execFileSync("tar", ["xzf", tarball, "-C", unpacked, "--strip-components=1"]);
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true }));

function run(tool: string, ...args: string[]): string {
  return execFileSync(join(root, "node_modules", ".bin", tool), args, { encoding: "utf8" });
}

describe("the packed package", () => {
  test("has every file that exports name", () => {
    const files = Object.values(exported).flatMap((entry) =>
      typeof entry === "string" ? [entry] : Object.values(entry),
    );
    expect(files.filter((file) => !existsSync(join(unpacked, file)))).toEqual([]);
  });

  test("is imported by each name", () => {
    const names = Object.keys(exported).filter((name) => !name.endsWith(".json"));
    const script = names.map((name) => {
      const full = JSON.stringify(`holdall${name.slice(1)}`);
      return `console.log(${full}, Object.keys(await import(${full})).length > 0);`;
    });
    const printed = execFileSync(process.execPath, ["--input-type=module", "--eval", script.join("\n")], {
      cwd: folder,
      encoding: "utf8",
    });
    expect(printed.trim().split("\n")).toEqual(names.map((name) => `holdall${name.slice(1)} true`));
  });

  test("reads what it writes", () => {
    const script = `import { dumps } from "holdall"; import { loads } from "holdall/read";
      console.log(JSON.stringify(loads(dumps({ a: [1, "x", null] }))));`;
    const args = ["--input-type=module", "--eval", script];
    expect(execFileSync(process.execPath, args, { cwd: folder, encoding: "utf8" }).trim()).toBe('{"a":[1,"x",null]}');
  });

  test("has nothing that publint reports", () => {
    expect(run("publint", "run", tarball, "--strict")).toContain("All good!");
  }, 60_000);

  test("has types that every resolution of ESM finds", () => {
    // It fails if a resolution has a problem.
    expect(() => run("attw", tarball, "--profile", "esm-only")).not.toThrow();
  }, 60_000);
});
