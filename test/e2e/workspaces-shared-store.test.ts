/** Two processes of `orch up --workspaces` on one store: both serve all workspaces, and one runs their controllers until it is killed. */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { findEtcd, startTestEtcd } from "../../src/kv/etcd/server.fixture.ts";
import { findPostgres, startTestPostgres } from "../../src/kv/postgres/server.fixture.ts";
import { adminToken, type Body, call } from "../cluster/call.ts";

const workspaces = "/apis/tenancy.orch.io/v1alpha1/workspaces";
const maps = "/api/v1/namespaces/default/configmaps";
const deployments = "/apis/apps/v1/namespaces/default/deployments";
const leases = "/apis/coordination.orch.io/v1/namespaces/orch-system/leases";
const web = {
  metadata: { name: "web" },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "web", image: "web:1" }] },
    },
  },
};

interface Up {
  readonly port: number;
  readonly agent: Agent;
  readonly child: ChildProcess;
  readonly exited: Promise<void>;
  ask(method: string, path: string, body?: object): Promise<{ readonly status: number; readonly body: Body }>;
  /** Names with the type of the event, as they come. */
  watch(path: string): Promise<{ readonly seen: readonly string[]; readonly isOver: () => boolean }>;
}

async function openUp(folder: string, name: string, store: string): Promise<Up> {
  const [tokens, ready] = [join(folder, "tokens.csv"), join(folder, `${name}.ready`)];
  writeFileSync(tokens, `${adminToken},admin,1,"system:masters"\n`, { mode: 0o600 });
  const args = [
    ...["up", "--workspaces", store, `--data-dir=${join(folder, name)}`, "--secure-port=0", "--console=false"],
    ...[`--token-auth-file=${tokens}`, `--ready-file=${ready}`, "--nodes=1"],
    ...["--leader-elect-lease-duration=6s", "--leader-elect-renew-deadline=4s", "--leader-elect-retry-period=1s"],
  ];
  const child = spawn(process.execPath, [resolve("bin/orch"), ...args], { stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  child.stderr.on("data", (chunk) => {
    log += String(chunk);
  });
  const exited = new Promise<void>((done) => child.once("exit", () => done()));
  await expect
    .poll(() => {
      if (child.exitCode !== null) throw new Error(`orch up ended: ${log}`);
      return existsSync(ready) && readFileSync(ready, "utf8") !== "";
    })
    .toBe(true);
  const port = Number(new URL(readFileSync(ready, "utf8").trim()).port);
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  return {
    port,
    agent,
    child,
    exited,
    async ask(method, path, body) {
      const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
      const outcome = await call({ port, agent }, method, path, { body, type });
      if (outcome.kind === "lost") throw new Error(outcome.error);
      return outcome;
    },
    watch(path) {
      const seen: string[] = [];
      let over = false;
      const headers = { authorization: `Bearer ${adminToken}` };
      return new Promise((done, failed) => {
        const sent = request({ host: "127.0.0.1", port, agent, path: `${path}?watch=1`, headers }, (answer) => {
          if (answer.statusCode !== 200)
            return failed(new Error(`the watch of ${path} ended with ${answer.statusCode}`));
          let text = "";
          answer.on("data", (chunk) => {
            const lines = (text + String(chunk)).split("\n");
            text = lines.pop() ?? "";
            for (const { type, object } of lines.map((line) => JSON.parse(line) as { type: string; object: Body }))
              seen.push(`${type} ${object.metadata?.name}`);
          });
          answer.on("error", () => {});
          answer.on("close", () => {
            over = true;
          });
          done({ seen, isOver: () => over });
        });
        sent.on("error", failed);
        sent.end();
      });
    },
  };
}

const namesOf = ({ items = [] }: Body) => items.map(({ metadata }) => metadata?.name).sort();
const readyOf = async (server: Up, name: string) =>
  (await server.ask("GET", `${workspaces}/${name}`)).body.status as { phase?: string } | undefined;
const pods = async (server: Up, name: string) =>
  (await server.ask("GET", `/clusters/${name}/api/v1/namespaces/default/pods`)).body.items?.length;
const holderOf = async (server: Up, name: string) =>
  (await server.ask("GET", `${leases}/${name}`)).body.spec?.["holderIdentity"];

async function liveOnTwo(store: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "orch-workspaces-"));
  const servers: Up[] = [];
  try {
    servers.push(await openUp(folder, "one", store));
    const [one] = servers as [Up];
    await expect.poll(async () => await holderOf(one, "workspaces")).toBeTruthy();
    servers.push(await openUp(folder, "two", store));
    const two = servers[1]!;

    // Made through one, used through the other, at once.
    for (const name of ["shop", "bank", "mill"])
      expect((await one.ask("POST", workspaces, { metadata: { name } })).status).toBe(201);
    await expect.poll(async () => (await readyOf(two, "shop"))?.phase).toBe("Ready");
    await expect.poll(async () => (await readyOf(two, "mill"))?.phase).toBe("Ready");
    expect(namesOf((await two.ask("GET", workspaces)).body)).toEqual(["bank", "mill", "shop"]);
    const watch = await one.watch(`/clusters/shop${maps}`);
    expect((await two.ask("POST", `/clusters/shop${maps}`, { metadata: { name: "prices" } })).status).toBe(201);
    await expect.poll(() => watch.seen).toContain("ADDED prices");
    await expect.poll(async () => namesOf((await one.ask("GET", `/clusters/shop${maps}`)).body)).toContain("prices");
    expect(namesOf((await one.ask("GET", `/clusters/bank${maps}`)).body)).not.toContain("prices");

    // Written at the one that runs no controllers.
    expect((await two.ask("POST", `/clusters/shop${deployments}`, web)).status).toBe(201);
    await expect.poll(() => pods(two, "shop")).toBe(2);
    expect((await two.ask("POST", deployments, web)).status).toBe(201);
    const atRoot = async () => (await two.ask("GET", `${deployments}/web`)).body.status as { readyReplicas?: number };
    await expect.poll(async () => (await atRoot()).readyReplicas).toBe(2);

    // Suspended through the one, for the other.
    const suspend = (suspended: boolean) => two.ask("PATCH", `${workspaces}/bank`, { spec: { suspended } });
    await suspend(true);
    await expect.poll(async () => (await one.ask("GET", `/clusters/bank${maps}`)).status).toBe(503);
    await suspend(false);
    await expect.poll(async () => (await one.ask("GET", `/clusters/bank${maps}`)).status).toBe(200);

    // Deleted through the one while the other serves it.
    for (let at = 0; at < 150; at++) await two.ask("POST", `/clusters/mill${maps}`, { metadata: { name: `m${at}` } });
    const ending = await two.watch(`/clusters/mill${maps}`);
    expect((await one.ask("DELETE", `${workspaces}/mill`)).status).toBe(200);
    await expect.poll(async () => (await two.ask("GET", `${workspaces}/mill`)).status).toBe(404);
    await expect.poll(ending.isOver).toBe(true);
    expect((await one.ask("POST", workspaces, { metadata: { name: "mill" } })).status).toBe(201);
    await expect.poll(async () => (await readyOf(two, "mill"))?.phase).toBe("Ready");
    expect(namesOf((await two.ask("GET", `/clusters/mill${maps}`)).body)).not.toContain("m1");

    // The one that leads is killed in the middle of its work.
    const before = await Promise.all(["workspaces", "orch-controller-manager"].map((name) => holderOf(two, name)));
    expect(before[0]).toBeTruthy();
    one.child.kill("SIGKILL");
    await one.exited;
    await two.ask("PATCH", `/clusters/shop${deployments}/web`, { spec: { replicas: 4 } });
    await two.ask("PATCH", `${deployments}/web`, { spec: { replicas: 3 } });
    await expect.poll(() => pods(two, "shop")).toBe(4);
    await expect.poll(async () => (await atRoot()).readyReplicas).toBe(3);
    expect(await holderOf(two, "workspaces")).not.toBe(before[0]);

    // One that comes again finds everything.
    servers[0] = await openUp(folder, "three", store);
    const three = servers[0];
    expect(namesOf((await three.ask("GET", workspaces)).body)).toEqual(["bank", "mill", "shop"]);
    expect(await pods(three, "shop")).toBe(4);
    // Who stops in order lets the other take over at once.
    two.child.kill("SIGTERM");
    await two.exited;
    await three.ask("PATCH", `/clusters/shop${deployments}/web`, { spec: { replicas: 1 } });
    await expect.poll(() => pods(three, "shop")).toBe(1);
  } finally {
    for (const { child, exited, agent } of servers) {
      child.kill("SIGKILL");
      await exited;
      agent.destroy();
    }
    rmSync(folder, { recursive: true, force: true });
  }
}

const etcd = findEtcd();
const postgres = findPostgres();

describe("two servers with workspaces on one store", () => {
  test.skipIf(etcd === undefined)("etcd", { timeout: 300_000 }, async () => {
    const store = await startTestEtcd(etcd!);
    await liveOnTwo(`--kvstore-servers=${store.endpoint}`).finally(() => store.remove());
  });

  test.skipIf(postgres === undefined)("PostgreSQL", { timeout: 300_000 }, async () => {
    const store = await startTestPostgres(postgres!);
    await liveOnTwo(`--store=${store.address()}`).finally(() => store.remove());
  });
});
