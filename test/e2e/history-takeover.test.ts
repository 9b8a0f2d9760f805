/** Two processes on one etcd that keep a history: the one that remains goes on with it when the other is killed, and neither loses a change. */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent } from "node:https";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { findEtcd, startTestEtcd } from "../../src/kv/etcd/server.fixture.ts";
import { adminToken, call } from "../cluster/call.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const secrets = "/api/v1/namespaces/default/secrets";
const changes = "/apis/history.orch.io/v1alpha1/namespaces/default/changes?limit=500";
const kills = process.env["LONG_TESTS"] === undefined ? 3 : 30;
const writesBetween = 30;

interface Server {
  readonly child: ChildProcess;
  readonly exited: Promise<void>;
  ask(method: string, path: string, body?: object): ReturnType<typeof call>;
}

async function start(folder: string, name: string, etcd: string): Promise<Server> {
  const [tokens, ready] = [join(folder, "tokens.csv"), join(folder, `${name}.ready`)];
  writeFileSync(tokens, `${adminToken},admin,1,"system:masters"\n`, { mode: 0o600 });
  const args = [
    ...["up", `--kvstore-servers=${etcd}`, `--data-dir=${join(folder, name)}`, "--secure-port=0", "--console=false"],
    ...[`--token-auth-file=${tokens}`, `--ready-file=${ready}`],
    ...["--history=1h", "--history-kinds=-secrets"],
  ];
  rmSync(ready, { force: true });
  const child = spawn(process.execPath, [resolve("bin/orch"), ...args], { stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  child.stderr.on("data", (chunk) => {
    log += String(chunk);
  });
  const exited = new Promise<void>((done) => child.once("exit", () => done()));
  await expect
    .poll(() => {
      if (child.exitCode !== null) throw new Error(`orch ended: ${log}`);
      return existsSync(ready) && readFileSync(ready, "utf8") !== "";
    })
    .toBe(true);
  const port = Number(new URL(readFileSync(ready, "utf8").trim()).port);
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  return { child, exited, ask: (method, path, body) => call({ port, agent }, method, path, { body }) };
}

async function told(server: Server): Promise<string[]> {
  const found: string[] = [];
  for (let next = ""; ; ) {
    const outcome = await server.ask("GET", `${changes}${next === "" ? "" : `&continue=${next}`}`);
    if (outcome.kind === "lost" || outcome.status !== 200) throw new Error(JSON.stringify(outcome));
    const { items, metadata } = outcome.body as unknown as {
      readonly items: readonly { readonly object: { readonly resource: string; readonly name: string } }[];
      readonly metadata: { readonly continue?: string };
    };
    found.push(...items.map(({ object }) => `${object.resource}/${object.name}`));
    next = metadata.continue ?? "";
    if (next === "") return found.filter((name) => /^(configmaps\/map-|secrets\/hidden)/.test(name));
  }
}

const program = findEtcd();

describe.skipIf(program === undefined)("two processes on one etcd", () => {
  test("tell each acknowledged change once, whichever of them is killed, and agree on all", async () => {
    const folder = mkdtempSync(join(tmpdir(), "orch-takeover-"));
    const etcd = await startTestEtcd(program!);
    const servers: Server[] = [];
    try {
      for (const name of ["one", "two"]) servers.push(await start(folder, name, etcd.endpoint));
      const acknowledged: string[] = [];
      const tried = new Set<string>();
      let count = 0;
      const write = async (server: Server) => {
        const name = `map-${count++}`;
        tried.add(`configmaps/${name}`);
        const outcome = await server.ask("POST", maps, { metadata: { name } });
        if (outcome.kind !== "lost" && outcome.status === 201) acknowledged.push(`configmaps/${name}`);
      };
      await servers[0]!.ask("POST", secrets, { metadata: { name: "hidden" } });
      for (let kill = 0; kill < kills; kill += 1) {
        const at = kill % 2;
        for (let index = 0; index < writesBetween; index += 1) await write(servers[index % 2]!);
        const under = Array.from({ length: 10 }, (_, index) => write(servers[index % 2]!));
        servers[at]!.child.kill("SIGKILL");
        await Promise.all(under);
        await servers[at]!.exited;
        // The other one takes what comes, alone.
        const alone = servers[1 - at]!;
        const before = acknowledged.length;
        for (let index = 0; index < writesBetween; index += 1) await write(alone);
        expect(acknowledged.length).toBe(before + writesBetween);
        expect(await told(alone)).toEqual(expect.arrayContaining(acknowledged));
        servers[at] = await start(folder, at === 0 ? "one" : "two", etcd.endpoint);
        const [mine, others] = await Promise.all(servers.map(told));
        expect(mine).toEqual(others);
        expect(mine).toHaveLength(new Set(mine).size);
        expect(mine!.filter((name) => !tried.has(name))).toEqual([]);
        expect(mine).toEqual(expect.arrayContaining(acknowledged));
      }
    } finally {
      for (const { child, exited } of servers) {
        child.kill("SIGKILL");
        await exited;
      }
      await etcd.remove();
      rmSync(folder, { recursive: true, force: true });
    }
  }, 600_000);
});
