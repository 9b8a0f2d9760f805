import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run } from "./programs.ts";

const orch = resolve("bin/orch");
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "orch-background-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("a server can be started in the background, report its status, and be stopped", async () => {
  const data = `--data-dir=${join(folder, "data")}`;
  const ready = join(folder, "ready");
  const up = await run(process.execPath, [orch, "up", "--detach", data, "--secure-port=0", `--ready-file=${ready}`]);
  expect(up).toMatchObject({ code: 0, stderr: "" });
  const url = (await readFile(ready, "utf8")).trim();
  expect(up.stdout).toContain(`orch serves ${url} like orch-1.21 in the background`);
  const usage = up.stdout.split("\n").slice(1).join("\n");
  expect(usage).toContain(`export KUBECONFIG=${join(folder, "data/admin.conf")}\n`);
  expect(usage).toMatch(/console in a browser {3}http:\/\/127\.0\.0\.1:\d+\/#secret=/);
  const status = await run(process.execPath, [orch, "status", data]);
  expect([status.code, status.stdout]).toEqual([0, expect.stringContaining(`serves ${url}: ready\n${usage}`)]);
  const again = await run(process.execPath, [orch, "up", "--detach", data, "--secure-port=0"]);
  expect([again.code, again.stderr]).toEqual([
    1,
    expect.stringMatching(/is already open in process \d+; stop that first: orch stop --data-dir=\S+\n/),
  ]);
  expect((await run(process.execPath, [orch, "stop", data])).stdout).toMatch(/process \d+ has ended/);
  expect((await run(process.execPath, [orch, "status", data])).code).toBe(3);
});

test("a server whose objects are in memory is found again too", async () => {
  const data = `--data-dir=${join(folder, "memory")}`;
  const up = await run(process.execPath, [orch, "up", "--detach", data, "--secure-port=0", "--store=memory"]);
  expect(up).toMatchObject({ code: 0, stderr: "" });
  expect((await run(process.execPath, [orch, "status", data])).code).toBe(0);
  expect((await run(process.execPath, [orch, "stop", data])).stdout).toMatch(/process \d+ has ended/);
  expect((await run(process.execPath, [orch, "status", data])).code).toBe(3);
});

test("a command can run with nodes", async () => {
  const args = ["run", "--nodes=2", "--", process.execPath, resolve("bin/ctl"), "get", "nodes", "-o", "name"];
  expect(await run(process.execPath, [orch, ...args])).toMatchObject({ code: 0, stdout: "node/node-0\nnode/node-1\n" });
  const script = "ctl create deployment web --image=any && ctl rollout status deployment/web --timeout=60s";
  const workload = ["run", "--nodes=1", "--", "sh", "-c", script.replaceAll("ctl", `"${resolve("bin/ctl")}"`)];
  expect((await run(process.execPath, [orch, ...workload])).stdout).toContain("successfully rolled out");
  const wrong = await run(process.execPath, [orch, "run", "--nodes=-1", "--", "true"]);
  expect(wrong.stderr).toContain("--nodes: must be a whole number from 0 to 5000, not -1");
});

test("a command can run with its own server, and orch exits with the code of the command", async () => {
  const script = 'test -s "$KUBECONFIG" && test -s "$ORCHCONFIG" && echo "$ORCH_SERVER" && exit 7';
  const ran = await run(process.execPath, [orch, "run", "--vocabulary=kubernetes", "--", "sh", "-c", script]);
  expect([ran.code, ran.stdout]).toEqual([7, expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+\n$/)]);
  const missing = await run(process.execPath, [orch, "run", "--", "there-is-no-such-program"]);
  expect([missing.code, missing.stderr]).toEqual([
    1,
    expect.stringContaining("could not be started: there is no such program"),
  ]);
  expect((await run(process.execPath, [orch, "run"])).stderr).toContain("the command is missing");
});
