/** A server inside another program, and the end of that program: what is waited for keeps the process alive, and nothing else does. */

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { run } from "./programs.ts";

const library = JSON.stringify(pathToFileURL(resolve("dist/library.js")).href);
/**
 * The pod waits for the default account, which a controller creates at about the same time. Without a reason to stay, a third of them ended.
 * The wait has a limit, after which a busy machine is asked again.
 */
const runs = process.env["LONG_TESTS"] === "1" ? 12 : 5;
/** An idle server that kept its process alive would do so for longer. */
const timeoutMs = 120_000;

const program = (lines: string) => `
  import { createServer } from ${library};
  const post = (server, path, body) =>
    server.fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  const server = await createServer();
  ${lines}`;
const execute = (lines: string) =>
  run(process.execPath, ["--input-type=module", "--eval", program(lines)], { timeoutMs });

test(`the first pod on a new server is answered, ${runs} times out of ${runs}`, { timeout: 300_000 }, async () => {
  const pod = `
    const pod = { metadata: { name: "a" }, spec: { containers: [{ name: "a", image: "b" }] } };
    let status = 403;
    while (status === 403) ({ status } = await post(server, "/api/v1/namespaces/default/pods", pod));
    console.log(status);`;
  const ends: string[] = [];
  for (let n = 0; n < runs; n += 1) {
    const { code, stdout } = await execute(pod);
    ends.push(`${code} ${stdout.trim()}`);
  }
  expect(ends).toEqual(Array.from({ length: runs }, () => "0 201"));
});

test("a reader that waits for an event gets it", async () => {
  const { code, stdout } = await execute(`
    const watch = await server.fetch("/api/v1/namespaces/default/serviceaccounts?watch=true");
    const reader = watch.body.getReader();
    const { value } = await reader.read();
    console.log(JSON.parse(new TextDecoder().decode(value).split("\\n")[0]).type);
    await reader.cancel();`);
  expect([code, stdout]).toEqual([0, "ADDED\n"]);
});

test("an idle server, and a watch that nobody reads, do not keep the process alive", async () => {
  const { code, stdout } = await execute(`
    await server.fetch("/api/v1/configmaps?watch=true");
    console.log("done");`);
  expect([code, stdout]).toEqual([0, "done\n"]);
});

/** Processor time, because other tests run at the same time. */
async function loadingMs(type: "module" | "commonjs"): Promise<number> {
  const load =
    type === "module"
      ? `await import(${JSON.stringify(pathToFileURL(resolve("dist/client.js")).href)})`
      : `require(${JSON.stringify(resolve("dist/client.cjs"))})`;
  const script = `const before = process.cpuUsage(); ${load};
    const { user, system } = process.cpuUsage(before); console.log((user + system) / 1000)`;
  return Number((await run(process.execPath, [`--input-type=${type}`, "--eval", script])).stdout);
}

test("an import of orch/client takes about as long as its require", async () => {
  const differences: number[] = [];
  const difference = async () => {
    const required = await loadingMs("commonjs");
    expect(required).toBeGreaterThan(0);
    differences.push((await loadingMs("module")) - required);
    return Math.min(...differences);
  };
  // What Node needs for a module of its own is a few milliseconds; a search for the names of exports was sixty. Neighbours on the
  // machine make a run dearer, so that some are repeated; what every run spends stays.
  await expect.poll(difference, { timeout: 100_000, interval: 1 }).toBeLessThan(20);
});
