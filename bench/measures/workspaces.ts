/**
 * What ten thousand workspaces of one type cost: memory, the time until a new one takes requests, and a start with all of them; and what
 * two of them that are open cost requests at the root.
 */

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { Row } from "../report.ts";

const objectsEach = 20;
const memoryBudgetMb = 500;
const newBudgetMs = 20;
const startBudgetMs = 5_000;
/** Of the dearer one of two equal servers: they differ too. */
const rootShareBudget = 1.05;
const rootRounds = 40;
const rootRequests = 100;

/** What both programs begin with. */
const common = `
  import { createServer } from ${JSON.stringify(pathToFileURL(resolve("dist/library.js")).href)};
  const all = "/apis/tenancy.orch.io/v1alpha1/workspaces";
  const maps = (name) => "/clusters/" + name + "/api/v1/namespaces/default/configmaps";
  const options = { workspaces: true, controllers: false };
`;

/** A process that does nothing else: makes all, prints a Made, and leaves a backup. */
const makingOf = (count: number, file: string) => `${common}
  const send = (server, path, body) => server.fetch(path, {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body),
  });
  const map = (name) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { text: "x".repeat(200) } });
  const middle = (values) => values.sort((a, b) => a - b)[values.length >> 1];
  const mb = async () => {
    for (let round = 0; round < 6; round++) {
      gc();
      await new Promise((done) => setTimeout(done, 50));
    }
    const { heapUsed, external } = process.memoryUsage();
    return (heapUsed + external) / 1024 / 1024;
  };
  const make = async (server, name) => {
    const began = performance.now();
    await send(server, all, { apiVersion: "tenancy.orch.io/v1alpha1", kind: "Workspace", metadata: { name } });
    let answer;
    do {
      await new Promise((done) => setTimeout(done, 1));
      answer = await send(server, maps(name), map("m0"));
    }
    while (answer.status === 429);
    if (answer.status !== 201) throw new Error(await answer.text());
    const took = performance.now() - began;
    for (let at = 1; at < ${objectsEach}; at++) await send(server, maps(name), map("m" + at));
    return took;
  };
  const server = await createServer(options);
  await make(server, "first");
  const before = await mb();
  const news = [];
  for (let at = 0; at < ${count}; at++) news.push(await make(server, "w" + at));
  const usedMb = (await mb()) - before;
  const roots = [];
  for (let at = 0; at < 200; at++) {
    const began = performance.now();
    await (await server.fetch("/api/v1/namespaces/default")).text();
    roots.push(performance.now() - began);
  }
  await server.snapshot(${JSON.stringify(file)});
  console.log(JSON.stringify({ newMs: middle(news), usedMb, rootMs: middle(roots) }));
  process.exit();
`;

/** A process that begins with that backup; prints a Started. */
const startOf = (file: string) => `${common}
  const began = performance.now();
  const server = await createServer({ ...options, from: ${JSON.stringify(file)} });
  const found = await server.fetch(maps("w1"));
  const startMs = performance.now() - began;
  if (found.status !== 200) throw new Error(await found.text());
  const deleted = performance.now();
  await server.fetch(all + "/w2", { method: "DELETE" });
  await server.untilGone("Workspace", "w2");
  console.log(JSON.stringify({ startMs, deleteMs: performance.now() - deleted }));
  process.exit();
`;

/** A process with two equal servers and one with two open workspaces, in turns; prints the Shares of the others by the first. */
const sharingOf = () => `${common}
  const path = "/api/v1/namespaces/default/configmaps";
  const plain = { controllers: false };
  const servers = [await createServer(plain), await createServer(options), await createServer(plain)];
  for (const name of ["shop", "bank"]) await (await (await servers[1].workspace(name)).fetch(path)).text();
  let made = 0;
  const create = async (server, name = "m" + made++) => await (await server.fetch(path, {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ metadata: { name } }),
  })).text();
  for (const server of servers) await create(server, "read");
  const get = async (server) => await (await server.fetch(path + "/read")).text();
  // What else the machine does makes rounds dearer, never cheaper.
  const fifth = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 5)];
  const shares = {};
  for (const [name, act] of Object.entries({ get, create })) {
    const costs = [[], [], []];
    for (let round = 0; round < ${rootRounds}; round++) {
      for (const at of [0, 1, 2].map((one) => (one + round) % 3)) {
        gc();
        const before = process.cpuUsage();
        for (let count = 0; count < ${rootRequests}; count++) {
          await act(servers[at]);
          await new Promise((done) => setImmediate(done));
        }
        const { user, system } = process.cpuUsage(before);
        if (round >= ${rootRounds / 4}) costs[at].push(user + system);
      }
    }
    const [first, open, second] = costs.map(fifth);
    shares[name] = { open: open / first, equal: second / first };
  }
  console.log(JSON.stringify(shares));
  process.exit();
`;

interface Share {
  readonly open: number;
  /** Of a server that is as the first one. */
  readonly equal: number;
}

interface Made {
  readonly newMs: number;
  readonly usedMb: number;
  /** A read at the root beside all of them. */
  readonly rootMs: number;
}

interface Started {
  readonly startMs: number;
  readonly deleteMs: number;
}

export async function measureWorkspaces(count: number): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "workspaces-bench-"));
  const file = join(folder, "all.backup");
  // What the programs print.
  const { newMs, usedMb, rootMs } = (await run(makingOf(count, file))) as Made;
  const { startMs, deleteMs } = (await run(startOf(file))) as Started;
  rmSync(folder, { recursive: true });
  const shares = (await run(sharingOf())) as Record<"get" | "create", Share>;
  const shown = (of: keyof Share) => `${shares.get[of].toFixed(2)} and ${shares.create[of].toFixed(2)}`;
  return [
    {
      what: "a new workspace, until its first object is stored",
      measured: `${newMs.toFixed(1)} ms`,
      beside: `${rootMs.toFixed(2)} ms, a read at the root`,
      budget: `< ${newBudgetMs} ms`,
      met: newMs < newBudgetMs,
    },
    {
      what: `memory of ${count} workspaces with ${objectsEach} objects each`,
      measured: `${usedMb.toFixed(0)} MB`,
      beside: "",
      budget: `< ${memoryBudgetMb} MB`,
      met: usedMb < memoryBudgetMb,
    },
    {
      what: `start from a backup of them, until one answers; deletion of one`,
      measured: `${startMs.toFixed(0)} ms, ${deleteMs.toFixed(0)} ms`,
      beside: "",
      budget: `< ${startBudgetMs} ms`,
      met: startMs < startBudgetMs,
    },
    {
      what: "CPU of a get and a create at the root with two workspaces open, by those of a server without",
      measured: shown("open"),
      beside: `${shown("equal")}, an equal server`,
      budget: `< ${rootShareBudget} of the dearer one of the two`,
      met: [shares.get, shares.create].every(({ open, equal }) => open < rootShareBudget * Math.max(1, equal)),
    },
  ];
}

async function run(program: string): Promise<unknown> {
  const args = ["--expose-gc", "--input-type=module", "-e", program];
  return JSON.parse((await promisify(execFile)(process.execPath, args)).stdout);
}
