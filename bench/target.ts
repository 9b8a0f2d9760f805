/** Servers under measurement: one that runs already, or processes that are started here, with their CPU and memory. */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { ConnectionOptions } from "node:tls";

export interface Target {
  readonly tls: ConnectionOptions & { readonly host: string; readonly port: number };
  /** Sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** CPU time the server has used so far; undefined: another machine, or the system does not report it. */
  cpuSeconds(): number | undefined;
  memory(): { readonly anonymousBytes: number; readonly residentBytes: number } | undefined;
  close(): Promise<void>;
}

/** `pids`: the processes whose CPU and memory count, on this machine: those of the server, and of its store if that is another. */
export function connectTarget(url: string, token: string, pids: readonly number[] = []): Target {
  const { hostname, port } = new URL(url);
  return {
    tls: { host: hostname, port: Number(port || 443), rejectUnauthorized: false },
    headers: token === "" ? {} : { authorization: `Bearer ${token}` },
    cpuSeconds: () => sum(pids.map(processCpuSeconds)),
    memory() {
      const all = pids.map(processMemory);
      const anonymousBytes = sum(all.map((one) => one?.anonymousBytes));
      const residentBytes = sum(all.map((one) => one?.residentBytes));
      return anonymousBytes === undefined || residentBytes === undefined
        ? undefined
        : { anonymousBytes, residentBytes };
    },
    close: async () => {},
  };
}

/** Undefined if nothing is known, or not everything. */
function sum(values: readonly (number | undefined)[]): number | undefined {
  if (values.length === 0) return undefined;
  return values.reduce<number | undefined>(
    (all, one) => (all === undefined || one === undefined ? undefined : all + one),
    0,
  );
}

export interface ServerChoices {
  /** Flags that limit requests. Default: no limit. */
  readonly limits?: readonly string[];
  /** Users beside jane, whose tokens are their names. */
  readonly users?: readonly string[];
  /** The executable of Node. Default: that of this process. */
  readonly node?: string;
  /** The folder of the program. Default: this one. */
  readonly root?: string;
}

/**
 * Starts `orch apiserver` on a store of its own, on an etcd or PostgreSQL that runs already, or in the folder `data`, which stays, and waits
 * until it is ready.
 */
export async function startOrch(
  store: "embedded" | "memory" | { readonly etcd: string } | { readonly postgres: string },
  mode: "RBAC" | "AlwaysAllow" = "RBAC",
  data?: string,
  more: ServerChoices = {},
): Promise<Target & { readonly startMs: number }> {
  const { limits = ["--max-requests-inflight=0", "--max-mutating-requests-inflight=0"], users = [] } = more;
  const { node = process.execPath, root = "." } = more;
  const folder = mkdtempSync(join(tmpdir(), "orch-bench-"));
  const port = await freePort();
  const plain = ["jane", ...users].map((name) => `${name},${name},${name},\n`).join("");
  writeFileSync(join(folder, "tokens.csv"), `bench,admin,admin,"system:masters"\n${plain}`, { mode: 0o600 });
  mkdirSync(join(folder, "certs"), { mode: 0o700 });
  const start = performance.now();
  const child = spawn(
    node,
    [
      "bin/orch",
      "apiserver",
      "--bind-address=127.0.0.1",
      `--secure-port=${port}`,
      storeFlag(store),
      `--data-dir=${data ?? join(folder, "data")}`,
      `--cert-dir=${join(folder, "certs")}`,
      `--token-auth-file=${join(folder, "tokens.csv")}`,
      `--authorization-mode=${mode}`,
      "--disable-admission-plugins=ServiceAccount",
      ...limits,
    ],
    // Standard error of the server goes to a file, since a log on the terminal would be in the way of the table.
    { cwd: root, stdio: ["ignore", "ignore", openSync(join(folder, "server.log"), "w")] },
  );
  const target = processTarget(child, port, { authorization: "Bearer bench" }, folder);
  await untilReady(target, child);
  return { ...target, startMs: performance.now() - start };
}

/** Starts `orch up` with all its controllers on a store of its own, and waits until it is ready. */
export async function startUp(): Promise<Target> {
  const folder = mkdtempSync(join(tmpdir(), "orch-bench-up-"));
  const port = await freePort();
  const args = ["bin/orch", "up", `--secure-port=${port}`, `--data-dir=${join(folder, "data")}`];
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "ignore", openSync(join(folder, "server.log"), "w")],
  });
  const target = processTarget(child, port, {}, folder);
  await untilReady(target, child);
  return target;
}

/** Starts another process of this benchmark. */
export function startChild(mode: string, args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [resolve(process.argv[1] ?? ""), mode, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
}

export function processTarget(
  child: ChildProcess,
  port: number,
  headers: Readonly<Record<string, string>>,
  folder?: string,
): Target {
  const exited = new Promise<void>((done) => child.once("exit", () => done()));
  return {
    tls: { host: "127.0.0.1", port, rejectUnauthorized: false },
    headers,
    cpuSeconds: () => processCpuSeconds(child.pid ?? 0),
    memory: () => processMemory(child.pid ?? 0),
    async close() {
      child.kill("SIGTERM");
      await exited;
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

type StoreChoice = Parameters<typeof startOrch>[0];

function storeFlag(store: StoreChoice): string {
  if (typeof store === "string") return `--store=${store}`;
  return "etcd" in store ? `--etcd-servers=${store.etcd}` : `--store=${store.postgres}`;
}

const ticksPerSecond = 100;

/** Of a process, of those that it has started, and of those of them that have ended. */
export function familyCpuSeconds(pid: number): number {
  const familyFields = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(statFields)
    .filter((fields) => Number(fields?.[1]) === pid || Number(fields?.[2]) === pid);
  const ended = statFields(String(pid));
  const ticks = familyFields.reduce((all, fields) => all + Number(fields![11]) + Number(fields![12]), 0);
  return (ticks + Number(ended?.[13] ?? 0) + Number(ended?.[14] ?? 0)) / ticksPerSecond;
}

/** From the state on: the second field here is the parent, the third the group. Processes of PostgreSQL have groups of their own. */
function statFields(pid: string): readonly string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ");
  } catch {
    return undefined;
  }
}

function processCpuSeconds(pid: number): number | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  } catch {
    return undefined;
  }
}

/** Anonymous memory is the process's own; the rest is the store's file, which the system may drop at any time. */
function processMemory(pid: number) {
  try {
    const text = readFileSync(`/proc/${pid}/status`, "utf8");
    const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(text)?.[1] ?? 0);
    return { anonymousBytes: kilobytes("RssAnon") * 1024, residentBytes: kilobytes("VmRSS") * 1024 };
  } catch {
    return undefined;
  }
}

export async function untilReady(target: Target, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + 30_000;
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`the server ended with code ${child.exitCode}`);
    if (await isReady(target)) return;
    await new Promise((done) => setTimeout(done, 5));
  }
  throw new Error("the server was not ready within 30 seconds");
}

function isReady({ tls, headers }: Target): Promise<boolean> {
  return new Promise((done) => {
    const sent = request({ ...tls, path: "/readyz", headers, agent: false }, (answer) => {
      answer.resume();
      done(answer.statusCode === 200);
    });
    sent.on("error", () => done(false));
    sent.end();
  });
}

export function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const server = createServer().once("error", fail);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => done(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
