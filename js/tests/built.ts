/** The Python package, by which tests compare with Rust, where `make test-package-here` has built it. */

import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** A Python, and the environment in which it finds the package and the reference. */
export interface Built {
  readonly python: string;
  readonly env: NodeJS.ProcessEnv;
}

function builtPackage(): Built | undefined {
  const folder = `${ROOT}target/python`;
  for (const version of existsSync(folder) ? readdirSync(folder) : []) {
    const python = [`${ROOT}.venv-${version}/bin/python`, `${ROOT}.venv/bin/python`].find(existsSync);
    if (python !== undefined && existsSync(`${folder}/${version}/holdall/_holdall.so`)) {
      return { python, env: { ...process.env, PYTHONPATH: `${folder}/${version}:${ROOT}spec/reference` } };
    }
  }
  return undefined;
}

export const built: Built | undefined = builtPackage();

if (built === undefined) {
  console.warn("SKIPPED: the Python package is not built (make test-package-here); nothing was compared with Rust");
}
