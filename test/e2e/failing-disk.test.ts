import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { errors } from "../crash/disk-faults.ts";
import { controlBytes } from "../crash/fault-case.ts";
import { compileShim } from "../crash/shim.ts";
import { freePort } from "./programs.ts";

/** How often the disk is full and gets space again (F5 in docs/security-rows.md). */
const fullTimes = process.env["LONG_TESTS"] === undefined ? 2 : 10;
const shim = compileShim();
const folder = mkdtempSync(join(tmpdir(), "orch-disk-"));
const children = new Set<ChildProcess>();
afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
  children.clear();
});
afterAll(() => {
  for (const path of [folder, shim ?? ""]) rmSync(path, { recursive: true, force: true });
});

describe.skipIf(shim === undefined)("a server whose disk fails", () => {
  test("refuses writes while the disk is full, serves reads, reports it, and continues when there is space", async () => {
    const server = await start("full");
    expect((await server.create("before", 10)).status).toBe(201);
    const path = "/api/v1/namespaces/default/configmaps";
    const acknowledged = ["before"];
    const create = async (name: string): Promise<number> => {
      const { status } = await server.create(name, 300_000);
      if (status === 201) acknowledged.push(name);
      return status;
    };
    for (let time = 0; time < fullTimes; time += 1) {
      server.fault({ calls: "pages", error: errors.ENOSPC, from: 0, forever: true, capacity: 1 });
      let filling = 0;
      let refused = 0;
      // Until what was taken ahead is used up. A small write of the server's own may still fit and report health once more.
      const readiness = async (): Promise<string> => {
        filling += 1;
        refused = await create(`filling${time}-${filling}`);
        return (await server.ask("GET", "/readyz?verbose")).text;
      };
      await expect.poll(readiness, { timeout: 60_000, interval: 0 }).toContain("[-]kvstore failed");
      expect(refused).toBe(503);
      expect((await server.ask("GET", `${path}/before`)).status).toBe(200);
      expect((await server.ask("GET", "/livez")).status).toBe(200);
      server.fault();
      await expect.poll(async () => (await server.ask("GET", "/readyz")).status).toBe(200);
      expect(await create(`after${time}`)).toBe(201);
    }
    for (const name of acknowledged) expect((await server.ask("GET", `${path}/${name}`)).status).toBe(200);
  }, 300_000);

  test("stops writing after a failed sync, serves reads, fails livez, and has lost nothing after a restart", async () => {
    const server = await start("sync");
    expect((await server.create("before", 10)).status).toBe(201);
    server.fault({ calls: "syncs", error: errors.EIO, from: 1, forever: false, capacity: 0 });
    // Its outcome is not known: a timeout, which promises nothing. If the server itself wrote first, the store has failed already.
    expect([503, 504]).toContain((await server.create("doubtful", 10)).status);
    expect((await server.create("later", 10)).status).toBe(503);
    expect((await server.ask("GET", "/api/v1/namespaces/default/configmaps/before")).status).toBe(200);
    expect((await server.ask("GET", "/livez")).status).toBe(500);
    expect((await server.ask("GET", "/readyz")).status).toBe(500);
    await server.stop();
    const again = await start("sync");
    expect((await again.ask("GET", "/api/v1/namespaces/default/configmaps/before")).status).toBe(200);
    expect((await again.ask("GET", "/api/v1/namespaces/default/configmaps/later")).status).toBe(404);
    expect((await again.create("later", 10)).status).toBe(201);
  });
});

async function start(name: string) {
  const data = join(folder, name);
  mkdirSync(data, { recursive: true });
  const control = join(folder, `${name}.control`);
  const fault = (given?: Parameters<typeof controlBytes>[0]): void => {
    writeFileSync(control, controlBytes(given), { flag: "r+" });
  };
  writeFileSync(control, controlBytes());
  writeFileSync(join(folder, "tokens.csv"), 'secret,admin,1,"system:masters"\n', { mode: 0o600 });
  const port = await freePort();
  const args = [
    ...["apiserver", "--bind-address=127.0.0.1", `--secure-port=${port}`, "--store=embedded", `--data-dir=${data}`],
    ...[`--cert-dir=${join(data, "certs")}`, "--authorization-mode=RBAC"],
    `--token-auth-file=${join(folder, "tokens.csv")}`,
  ];
  const env = { ...process.env, LD_PRELOAD: shim, DISK_FOLDER: join(data, "store"), DISK_CONTROL: control };
  const child = spawn(process.execPath, [resolve("bin/orch"), ...args], { env, stdio: "ignore" });
  children.add(child);
  const exited = new Promise((done) => child.once("exit", done));
  const ask = (method: string, path: string, body = "") => send(port, method, path, body);
  await expect.poll(async () => (await ask("GET", "/readyz")).status).toBe(200);
  return {
    ask,
    fault,
    create(named: string, bytes: number) {
      const object = { metadata: { name: named }, data: { text: "x".repeat(bytes) } };
      return ask("POST", "/api/v1/namespaces/default/configmaps", JSON.stringify(object));
    },
    async stop() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}

/** Status 0: there is no answer yet. */
function send(port: number, method: string, path: string, body: string): Promise<{ status: number; text: string }> {
  return new Promise((done) => {
    const headers = { authorization: "Bearer secret", "content-type": "application/json" };
    const options = {
      host: "127.0.0.1",
      port,
      method,
      path,
      headers,
      rejectUnauthorized: false,
      agent: false as const,
    };
    const call = request(options, (answer) => {
      let text = "";
      answer.on("data", (chunk) => {
        text += String(chunk);
      });
      answer.on("end", () => done({ status: answer.statusCode ?? 0, text }));
    });
    call.on("error", () => done({ status: 0, text: "" }));
    call.end(body);
  });
}
