/** What a fork of a server with many objects costs: its time, that of a test on it, its memory, and what it leaves. */

import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { Row } from "../report.ts";

const objects = 10_000;
const forkBudgetMs = 2;
const memoryBudgetKb = 1_024;

/** What a process runs that does nothing else; prints a Result. */
const program = `
  import { createServer } from ${JSON.stringify(pathToFileURL(resolve("dist/library.js")).href)};
  const path = "/api/v1/namespaces/default/configmaps";
  const post = (server, name) => server.fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ metadata: { name }, data: { text: "x".repeat(200) } }),
  });
  const bytes = async () => {
    for (let round = 0; round < 6; round++) {
      gc();
      await new Promise((done) => setTimeout(done, 50));
    }
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const middle = (values) => values.sort((a, b) => a - b)[values.length >> 1];
  const server = await createServer({ controllers: false });
  for (let at = 0; at < ${objects}; at++) await post(server, "m" + at);
  const forks = [];
  const writes = [];
  for (let round = 0; round < 200; round++) {
    const began = performance.now();
    const fork = await server.fork();
    const forked = performance.now();
    await post(fork, "own");
    writes.push(performance.now() - forked);
    forks.push(forked - began);
    await fork.close();
  }
  const before = await bytes();
  const open = [];
  for (let at = 0; at < 50; at++) open.push(await server.fork());
  const eachKb = ((await bytes()) - before) / open.length / 1024;
  for (const fork of open.splice(0)) await fork.close();
  for (let at = 0; at < 1_000; at++) await (await server.fork()).close();
  const leftKb = ((await bytes()) - before) / 1024;
  console.log(JSON.stringify({ forkMs: middle(forks), writeMs: middle(writes), eachKb, leftKb }));
`;

interface Result {
  readonly forkMs: number;
  readonly writeMs: number;
  readonly eachKb: number;
  readonly leftKb: number;
}

export async function measureForks(): Promise<Row[]> {
  const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", "--input-type=module", "-e", program]);
  const { forkMs, writeMs, eachKb, leftKb } = JSON.parse(stdout) as Result; // what the program prints
  return [
    {
      what: `fork of a server with ${objects} objects, and its first write`,
      measured: `${forkMs.toFixed(1)} ms, ${writeMs.toFixed(1)} ms`,
      beside: "",
      budget: `< ${forkBudgetMs} ms`,
      met: forkMs < forkBudgetMs,
    },
    {
      what: "memory of such a fork, and what 1,000 closed ones leave",
      measured: `${eachKb.toFixed(0)} KB, ${leftKb.toFixed(0)} KB`,
      beside: "",
      budget: `< ${memoryBudgetKb} KB`,
      met: eachKb < memoryBudgetKb,
    },
  ];
}
