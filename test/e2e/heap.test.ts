/** F7: a server that has too little memory dies in the middle of its work; what it acknowledged is there when it starts again. */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { run } from "./programs.ts";

const orch = resolve("bin/orch");
/** Enough to start, and far from enough for what the server is sent. */
const heapMegabytes = 32;
const rounds = process.env["LONG_TESTS"] === undefined ? 1 : 10;
const path = "/api/v1/namespaces/default/configmaps";

let folder = "";
let child: ChildProcess | undefined;
beforeEach(async () => {
  // Memory, where there is some: what matters is how the process ends, not what becomes of the disk.
  folder = await mkdtemp(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "orch-heap-"));
  writeFileSync(join(folder, "tokens.csv"), 'token,admin,1,"system:masters"\n', { mode: 0o600 });
});
afterEach(async () => {
  child?.kill("SIGKILL");
  await rm(folder, { recursive: true, force: true });
});

interface Running {
  readonly port: number;
  readonly ended: Promise<string>;
  readonly hasEnded: () => boolean;
}

async function start(...nodeFlags: string[]): Promise<Running> {
  const flags = ["--bind-address=127.0.0.1", "--secure-port=0", "--authorization-mode=RBAC"];
  const places = [
    `--data-dir=${join(folder, "data")}`,
    `--cert-dir=${join(folder, "certs")}`,
    `--token-auth-file=${join(folder, "tokens.csv")}`,
  ];
  const started = spawn(process.execPath, [...nodeFlags, orch, "apiserver", ...flags, ...places]);
  child = started;
  let output = "";
  for (const stream of [started.stdout, started.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
  let hasEnded = false;
  const ended = new Promise<string>((done) =>
    started.once("exit", (code, signal) => {
      hasEnded = true;
      // A stack of native functions, which may be long, follows Node's reason.
      done(`${signal ?? code} ${output.slice(-30_000)}`);
    }),
  );
  let port = 0;
  while (port === 0) {
    if (hasEnded) throw new Error(`the server did not start: ${await ended}`);
    await new Promise((wake) => setTimeout(wake, 20));
    port = Number(/"url":"https:\/\/127\.0\.0\.1:([0-9]+)"/.exec(output)?.[1] ?? 0);
  }
  return { port, ended, hasEnded: () => hasEnded };
}

const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });

/** The status and the text of the answer; status 0: there was none. */
function ask(port: number, method: string, to: string, body?: string): Promise<{ status: number; text: string }> {
  return new Promise((done) => {
    const headers = { authorization: "Bearer token", "content-type": "application/json" };
    const sent = request({ agent, host: "127.0.0.1", port, path: to, method, headers }, (answer) => {
      let text = "";
      answer.on("data", (chunk) => {
        text += String(chunk);
      });
      answer.on("end", () => done({ status: answer.statusCode ?? 0, text }));
      answer.on("error", () => done({ status: 0, text }));
    });
    sent.on("error", () => done({ status: 0, text: "" }));
    sent.end(body);
  });
}

const large = JSON.stringify({
  metadata: { generateName: "large-" },
  data: Object.fromEntries(Array.from({ length: 32_000 }, (_, index) => [`key${index}`, `value${index}`])),
});

test("a server that runs out of heap loses no acknowledged write and keeps no partial one (F7 in docs/security-rows.md)", async () => {
  const acknowledged = new Map<string, string>();
  for (let round = 0; round < rounds; round += 1) {
    const server = await start(`--max-old-space-size=${heapMegabytes}`);
    const small = async (client: number) => {
      for (let step = 0; !server.hasEnded(); step += 1) {
        const name = `small-${round}-${client}-${step}`;
        const body = JSON.stringify({ metadata: { name }, data: { name } });
        const { status } = await ask(server.port, "POST", path, body);
        if (status === 201) acknowledged.set(name, name);
      }
    };
    const flood = async () => {
      while (!server.hasEnded()) await ask(server.port, "POST", path, large);
    };
    await Promise.all([...[1, 2].map(small), ...Array.from({ length: 12 }, flood)]);
    // SIGABRT by Node itself, which says why.
    expect(await server.ended).toMatch(/^SIGABRT [\s\S]*heap/);

    const again = await start();
    const { text } = await ask(again.port, "GET", path);
    const { items } = JSON.parse(text) as { items: { metadata: { name: string }; data: Record<string, string> }[] };
    const found = new Map(items.map(({ metadata, data }) => [metadata.name, data]));
    for (const name of acknowledged.keys()) expect(found.get(name)).toEqual({ name });
    for (const [name, data] of found) {
      if (name.startsWith("large-")) expect(Object.keys(data)).toHaveLength(32_000);
    }
    child?.kill("SIGTERM");
    expect(await again.ended).toMatch(/^0 /);
  }
  expect(acknowledged.size).toBeGreaterThan(0);
  const check = await run(process.execPath, [orch, "check", `--data-dir=${join(folder, "data")}`]);
  expect([check.code, check.stderr]).toEqual([0, ""]);
}, 300_000);
