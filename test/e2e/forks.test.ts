/** Hundreds of forks that were used and closed leave nothing behind: no memory, no timers, no sockets. */

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { run } from "./programs.ts";

const forks = process.env["LONG_TESTS"] === "1" ? 1_000 : 120;
/** What code that was compiled meanwhile, and the like, may take: eight kilobytes for each fork. */
const leftBytesMax = forks * 8 * 1024;

const program = `
  import { createServer } from ${JSON.stringify(pathToFileURL(resolve("dist/library.js")).href)};
  const path = "/api/v1/namespaces/default/configmaps";
  const headers = { "content-type": "application/json" };
  const post = (server, name) =>
    server.fetch(path, { method: "POST", headers, body: JSON.stringify({ metadata: { name }, data: { text: "x".repeat(1000) } }) });
  const server = await createServer({ journal: true });
  for (let at = 0; at < 500; at++) await post(server, "m" + at);
  await server.settled();
  // Those with controllers take far longer, so they are the fortieth part.
  const useOne = async (at) => {
    const fork = await server.fork(at % 40 === 0 ? {} : { controllers: false });
    const watch = await fork.fetch(path + "?watch=true");
    const reader = watch.body.getReader();
    await post(fork, "own");
    await reader.read();
    fork.faults.add({ do: { latencyMs: 0 } });
    await fork.close();
  };
  const state = async () => {
    for (let round = 0; round < 6; round++) {
      gc();
      await new Promise((done) => setTimeout(done, 50));
    }
    const { heapUsed, external } = process.memoryUsage();
    return { bytes: heapUsed + external, open: process.getActiveResourcesInfo().sort().join(" ") };
  };
  for (let at = 0; at < 80; at++) await useOne(at);
  const before = await state();
  for (let at = 0; at < ${forks}; at += 10) await Promise.all(Array.from({ length: 10 }, (_, beside) => useOne(at + beside)));
  const after = await state();
  console.log(JSON.stringify({ leftBytes: after.bytes - before.bytes, before: before.open, after: after.open }));
  await server.close();
`;

test(`${forks} forks leave no memory and no open handles`, { timeout: 240_000 }, async () => {
  const { stdout, stderr } = await run(process.execPath, ["--expose-gc", "--input-type=module", "-e", program], {
    timeoutMs: 200_000,
  });
  expect(stderr).toBe("");
  const { leftBytes, before, after } = JSON.parse(stdout) as { leftBytes: number; before: string; after: string }; // what it prints
  expect(after).toBe(before);
  expect(leftBytes).toBeLessThan(leftBytesMax);
});
