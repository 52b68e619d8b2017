// Runs the suite in each runtime that there is, and says which it skipped: node run.mjs [NAME ...]
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { bundle } from "./bundle.mjs";

const TOOLS = new URL("node_modules/.bin/", import.meta.url).pathname;
const MINUTES = 5;

/** A command of the packages beside this file, or of the machine. */
function find(...names) {
  for (const folder of [TOOLS, ...process.env.PATH.split(delimiter)]) {
    for (const name of names) if (existsSync(join(folder, name))) return join(folder, name);
  }
  return undefined;
}

function command(path, ...flags) {
  const run = (folder) => {
    const args = [...flags, join(folder, "command.mjs"), join(folder, "vectors.json")];
    const ran = spawnSync(path, args, { encoding: "utf8", maxBuffer: 2 ** 28, timeout: MINUTES * 60_000 });
    if (ran.status !== 0) throw new Error(`status ${ran.status} ${ran.signal ?? ""}\n${ran.stderr}`);
    return JSON.parse(ran.stdout);
  };
  return path && run;
}

/** Starts a command, and stops it after its outcome came. */
async function during(path, args, env, outcome) {
  const child = spawn(path, args, {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, ...env },
    detached: true,
  });
  let errors = "";
  child.stderr.on("data", (data) => (errors += data));
  const late = new Promise((_, reject) => {
    child.on("error", reject);
    child.on("exit", (status) => reject(new Error(`status ${status}\n${errors.slice(-2000)}`)));
    setTimeout(
      () => reject(new Error(`no outcome after ${MINUTES} minutes\n${errors.slice(-2000)}`)),
      MINUTES * 60_000,
    ).unref();
  });
  try {
    return await Promise.race([outcome, late]);
  } finally {
    child.removeAllListeners("exit");
    const ended = new Promise((resolve) => child.on("exit", resolve));
    // Browsers have processes of their own.
    if (child.exitCode === null && child.signalCode === null) {
      process.kill(-child.pid, "SIGKILL");
      await ended;
    }
  }
}

/** A page that may not make code from text, whose browser sends back the outcome. */
function browser(path, argsOf, env = {}) {
  const run = async (folder) => {
    let send;
    const outcome = new Promise((resolve) => (send = resolve));
    const server = createServer((request, response) => {
      const name = request.url.slice(1);
      if (request.method === "POST") {
        const parts = [];
        request.on("data", (part) => parts.push(part));
        request.on("end", () => {
          response.end();
          send(JSON.parse(Buffer.concat(parts)));
        });
      } else if (name === "vectors.json" || name === "page.mjs") {
        response.setHeader("Content-Type", name.endsWith("json") ? "application/json" : "text/javascript");
        response.end(readFileSync(join(folder, name)));
      } else if (name === "") {
        response.setHeader("Content-Type", "text/html");
        response.setHeader("Content-Security-Policy", "default-src 'self'");
        response.end('<!doctype html><meta charset="utf-8"><script type="module" src="page.mjs"></script>');
      } else {
        response.statusCode = 404;
        response.end();
      }
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      return await during(
        path,
        argsOf(`http://127.0.0.1:${server.address().port}/`, join(folder, "profile")),
        env,
        outcome,
      );
    } finally {
      server.closeAllConnections();
      server.close();
    }
  };
  return path && run;
}

/** A worker on a port. Workers may not make code from text. */
function workerd(path) {
  const run = async (folder) => {
    const port = 20_000 + (process.pid % 20_000);
    const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (modules = [(name = "worker.mjs", esModule = embed "worker.mjs")], compatibilityDate = "2025-01-01"))],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);`;
    writeFileSync(join(folder, "config.capnp"), config);
    const ask = async () => {
      for (let attempt = 0; ; attempt++) {
        try {
          const body = readFileSync(join(folder, "vectors.json"));
          const response = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body });
          if (!response.ok) throw new Error(await response.text());
          return await response.json();
        } catch (error) {
          if (attempt === 60) throw error;
          await new Promise((resolve) => setTimeout(resolve, 500));
        }
      }
    };
    return await during(path, ["serve", join(folder, "config.capnp")], {}, ask());
  };
  return path && run;
}

const CHROMIUM = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"];

/** How each runs, or undefined where it is missing; and whether it must refuse to make code from text. */
const RUNTIMES = {
  node: [command(process.execPath), false],
  "node --disallow-code-generation-from-strings": [
    command(process.execPath, "--disallow-code-generation-from-strings"),
    true,
  ],
  deno: [command(find("deno"), "run", "--allow-read"), false],
  bun: [command(find("bun"), "run"), false],
  workerd: [workerd(find("workerd")), true],
  chromium: [
    browser(find("chromium", "chromium-browser", "google-chrome"), (url, profile) => [
      ...CHROMIUM,
      `--user-data-dir=${profile}`,
      url,
    ]),
    true,
  ],
  firefox: [
    browser(
      find("firefox-esr", "firefox"),
      (url, profile) => ["--headless", "--no-remote", "--profile", profile, url],
      {
        HOME: tmpdir(),
      },
    ),
    true,
  ],
};

const wanted = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "holdall-"));
try {
  await bundle(folder);
  for (const [name, [run, isStrict]] of Object.entries(RUNTIMES)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    if (run === undefined) {
      console.error(`SKIPPED: ${name} is missing; the TypeScript package was not tested in it`);
      continue;
    }
    rmSync(join(folder, "profile"), { recursive: true, force: true });
    mkdirSync(join(folder, "profile"));
    const started = Date.now();
    try {
      const { count, failures, generates } = await run(folder);
      const wrong = [...failures];
      if (isStrict && generates) wrong.push("code generation is allowed");
      const seconds = ((Date.now() - started) / 1000).toFixed(1);
      console.log(`${name}: ${count - failures.length} of ${count} passed in ${seconds} s`);
      for (const each of wrong.slice(0, 20)) console.log(`  ${each}`);
      if (wrong.length > 0 || count < 3000) process.exitCode = 1;
    } catch (error) {
      console.log(`${name}: ${error.message}`);
      process.exitCode = 1;
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit();
