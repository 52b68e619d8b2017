/** Runs a case in Chromium: a page of an own server, with a policy that forbids generated code or without one. */

import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"];
const FILES = ["twitter.json", "citm_catalog.json", "canada.json", "validators.json", "districts.json", "subdivisions.json", "flights.csv"];
const LONGEST_MS = 600_000;

/** The command and its version, or undefined where there is none. */
export function chromium() {
  for (const command of ["chromium", "chromium-browser", "google-chrome"]) {
    try {
      return { command, version: execFileSync(command, ["--version"], { encoding: "utf8" }).trim().split(" ").slice(0, 2).join(" ") };
    } catch {
      // The next one.
    }
  }
  return undefined;
}

/** Bundles the page. avsc is left out: it needs modules of Node. */
export function bundlePage(output) {
  const page = fileURLToPath(new URL("page.mjs", import.meta.url));
  buildSync({ entryPoints: [page], bundle: true, format: "esm", platform: "browser", external: ["avsc"], outfile: output, logLevel: "error" });
}

export async function runInChromium(command, page, folders, name, rounds, isStrict) {
  const pathOf = (file) => folders.split(",").map((folder) => join(folder, file)).find(existsSync);
  const profile = mkdtempSync(join(tmpdir(), "holdall-bench-"));
  let send;
  const outcome = new Promise((resolve) => (send = resolve));
  const server = createServer((request, response) => {
    const path = request.url.slice(1);
    const reply = (type, body) => {
      response.setHeader("Content-Type", type);
      response.end(body);
    };
    if (request.method === "POST") {
      const parts = [];
      request.on("data", (part) => parts.push(part));
      request.on("end", () => {
        response.end();
        send(JSON.parse(Buffer.concat(parts)));
      });
    } else if (path === "") {
      if (isStrict) response.setHeader("Content-Security-Policy", "default-src 'self'");
      reply("text/html", '<!doctype html><meta charset="utf-8"><script type="module" src="page.mjs"></script>');
    } else if (path === "page.mjs") reply("text/javascript", readFileSync(page));
    else if (path === "case.json") reply("application/json", JSON.stringify({ name, rounds, files: FILES.filter(pathOf) }));
    else if (path.startsWith("data/") && FILES.includes(path.slice(5))) reply("text/plain", readFileSync(pathOf(path.slice(5))));
    else {
      response.statusCode = 404;
      response.end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${server.address().port}/`;
  // A group of its own, which ends with all of the browser's processes: each writes to the profile.
  const child = spawn(command, [...ARGUMENTS, `--user-data-dir=${profile}`, url], { stdio: "ignore", detached: true });
  let timer;
  const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error(`${name} took too long in Chromium`)), LONGEST_MS)));
  try {
    const results = await Promise.race([outcome, late]);
    if (results.error) throw new Error(results.error);
    return results;
  } finally {
    clearTimeout(timer);
    server.closeAllConnections();
    server.close();
    const ended = new Promise((resolve) => child.once("exit", resolve));
    process.kill(-child.pid, "SIGKILL");
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
