/** What ten thousand workspaces of one type cost: memory, the time until a new one takes requests, and a start with all of them. */

import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { Row } from "../report.ts";

const objectsEach = 20;
const memoryBudgetMb = 500;
const newBudgetMs = 20;
const startBudgetMs = 5_000;

/** What a process runs that does nothing else; prints a Result. */
const programOf = (count: number) => `
  import { mkdtempSync, rmSync } from "node:fs";
  import { createServer } from ${JSON.stringify(pathToFileURL(resolve("dist/library.js")).href)};
  const all = "/apis/tenancy.orch.io/v1alpha1/workspaces";
  const send = (server, path, body) => server.fetch(path, {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body),
  });
  const map = (name) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { text: "x".repeat(200) } });
  const maps = (name) => "/clusters/" + name + "/api/v1/namespaces/default/configmaps";
  const middle = (values) => values.sort((a, b) => a - b)[values.length >> 1];
  const mb = async () => {
    for (let round = 0; round < 6; round++) {
      gc();
      await new Promise((done) => setTimeout(done, 50));
    }
    const { heapUsed, external } = process.memoryUsage();
    return (heapUsed + external) / 1024 / 1024;
  };
  const options = { workspaces: true, controllers: false };
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
  const folder = mkdtempSync("workspaces-bench-");
  await server.snapshot(folder + "/all.backup");
  await server.close();
  const began = performance.now();
  const again = await createServer({ ...options, from: folder + "/all.backup" });
  const found = await again.fetch(maps("w1"));
  const startMs = performance.now() - began;
  if (found.status !== 200) throw new Error(await found.text());
  const deleted = performance.now();
  await again.fetch(all + "/w2", { method: "DELETE" });
  await again.untilGone("Workspace", "w2");
  const deleteMs = performance.now() - deleted;
  rmSync(folder, { recursive: true });
  console.log(JSON.stringify({ newMs: middle(news), usedMb, rootMs: middle(roots), startMs, deleteMs }));
  process.exit();
`;

interface Result {
  readonly newMs: number;
  readonly usedMb: number;
  /** A read at the root beside all of them. */
  readonly rootMs: number;
  readonly startMs: number;
  readonly deleteMs: number;
}

export async function measureWorkspaces(count: number): Promise<Row[]> {
  const args = ["--expose-gc", "--input-type=module", "-e", programOf(count)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const { newMs, usedMb, rootMs, startMs, deleteMs } = JSON.parse(stdout) as Result; // what the program prints
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
  ];
}
