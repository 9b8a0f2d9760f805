/** What a fork of a server with many objects costs: its time, what a test on it pays for it, its memory, and what it leaves. */

import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { Row } from "../report.ts";

const objects = 10_000;
const forkBudgetMs = 2;
const memoryBudgetKb = 1_024;
const testBudgetMs = 5;

/** What a process runs that does nothing else; prints a Result. */
const program = `
  import { createServer } from ${JSON.stringify(pathToFileURL(resolve("dist/library.js")).href)};
  import { withServer } from ${JSON.stringify(pathToFileURL(resolve("dist/testing.js")).href)};
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
  // The same requests on the server itself, and in tests that get a fork each: the difference is what a test pays for its server.
  const options = { prepare: async (warm) => { for (let at = 0; at < ${objects}; at++) await post(warm, "m" + at); } };
  const requests = async (server, name) => {
    await post(server, name);
    await (await server.fetch(path + "/" + name)).text();
    await (await server.fetch(path + "/" + name, { method: "DELETE" })).text();
  };
  const tests = [];
  const alone = [];
  await withServer(options, () => undefined);
  for (let round = 0; round < 200; round++) {
    const began = performance.now();
    await withServer(options, (own) => requests(own, "own"));
    tests.push(performance.now() - began);
    const again = performance.now();
    await requests(server, "own" + round);
    alone.push(performance.now() - again);
  }
  const before = await bytes();
  const open = [];
  for (let at = 0; at < 50; at++) open.push(await server.fork());
  const eachKb = ((await bytes()) - before) / open.length / 1024;
  for (const fork of open.splice(0)) await fork.close();
  for (let at = 0; at < 1_000; at++) await (await server.fork()).close();
  const leftKb = ((await bytes()) - before) / 1024;
  console.log(JSON.stringify({
    forkMs: middle(forks), writeMs: middle(writes), testMs: middle(tests), aloneMs: middle(alone), eachKb, leftKb,
  }));
  process.exit(); // the prepared server stays open
`;

interface Result {
  readonly forkMs: number;
  readonly writeMs: number;
  /** Of a test with its own server, and of its requests on a server that is there. */
  readonly testMs: number;
  readonly aloneMs: number;
  readonly eachKb: number;
  readonly leftKb: number;
}

export async function measureForks(): Promise<Row[]> {
  const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", "--input-type=module", "-e", program]);
  const { forkMs, writeMs, testMs, aloneMs, eachKb, leftKb } = JSON.parse(stdout) as Result; // what the program prints
  return [
    {
      what: `fork of a server with ${objects} objects, and its first write`,
      measured: `${forkMs.toFixed(1)} ms, ${writeMs.toFixed(1)} ms`,
      beside: "",
      budget: `< ${forkBudgetMs} ms`,
      met: forkMs < forkBudgetMs,
    },
    {
      what: "a test with its own fork, beyond its three requests",
      measured: `${(testMs - aloneMs).toFixed(1)} ms`,
      beside: `${aloneMs.toFixed(1)} ms, the requests alone`,
      budget: `< ${testBudgetMs} ms`,
      met: testMs - aloneMs < testBudgetMs,
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
