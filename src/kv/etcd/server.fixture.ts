/** A real etcd for tests: one process with its own data folder, which can be killed and restarted. */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TestEtcd extends TestProcess {
  remove(): Promise<void>;
}

/** One member, alone or of a cluster. */
export interface TestProcess {
  readonly endpoint: string;
  /** Kills it (-9) and waits until it is gone. */
  kill(): Promise<void>;
  /** Starts it again on the same data and port. */
  start(): Promise<void>;
  /** SIGSTOP and SIGCONT: while paused, the member exists but does not answer. */
  pause(): void;
  resume(): void;
}

/** Three members of one cluster. */
export interface TestCluster {
  readonly members: readonly TestProcess[];
  /** The current leader; waits until one of the members that answer is the leader. */
  leader(): Promise<TestProcess>;
  remove(): Promise<void>;
}

export interface TestEtcdOptions {
  /** Paths of PEM files; absent: plain text on loopback. */
  readonly tls?: { readonly ca: string; readonly cert: string; readonly key: string };
}

/** The program's path; installs it where possible. Undefined: it is missing, and a hint on how to get it was printed. */
export function findEtcd(): string | undefined {
  for (const path of ["/usr/bin/etcd", "/usr/local/bin/etcd"]) if (runs(path)) return path;
  if (process.getuid?.() === 0 && runs("apt-get")) {
    spawnSync("apt-get", ["install", "-y", "etcd-server"], { stdio: "ignore", timeout: 120_000 });
    if (runs("/usr/bin/etcd")) return "/usr/bin/etcd";
  }
  const advice = "etcd is not installed; on Debian run: apt-get install etcd-server";
  if (process.env["CI"] === "true") throw new Error(advice);
  console.warn(`The tests of the etcd store are skipped: ${advice}`);
  return undefined;
}

function runs(path: string): boolean {
  return spawnSync(path, ["--version"], { stdio: "ignore", env: environment(), timeout: 20_000 }).status === 0;
}

function environment(): NodeJS.ProcessEnv {
  // etcd 3.4 starts on an arm64 machine only with this explicit permission.
  return process.arch === "arm64" ? { ...process.env, ETCD_UNSUPPORTED_ARCH: "arm64" } : process.env;
}

export async function startTestEtcd(program: string, options: TestEtcdOptions = {}): Promise<TestEtcd> {
  const folder = mkdtempSync(join(tmpdir(), "etcd-"));
  const [port = 0] = await freePorts(1);
  const scheme = options.tls === undefined ? "http" : "https";
  const endpoint = `${scheme}://127.0.0.1:${port}`;
  const args = [
    ...["--data-dir", join(folder, "data")],
    ...["--listen-client-urls", endpoint, "--advertise-client-urls", endpoint],
    // A peer address on a socket file in the working folder, so that one port is enough.
    ...["--listen-peer-urls", "unix://peer:0", "--initial-advertise-peer-urls", "http://127.0.0.1:1"],
    ...["--initial-cluster", "default=http://127.0.0.1:1"],
    // The limit covers the whole request; the contract's covers the value alone.
    ...["--max-request-bytes", "2097152", "--logger", "zap", "--log-level", "error"],
    "--unsafe-no-fsync",
  ].filter((argument) => argument !== "--unsafe-no-fsync" || supportsNoFsync(program));
  if (options.tls !== undefined) {
    args.push("--cert-file", options.tls.cert, "--key-file", options.tls.key);
    args.push("--client-cert-auth", "--trusted-ca-file", options.tls.ca);
  }
  const member = createMember(program, { endpoint, port, args, folder });
  await member.start();
  return {
    ...member,
    async remove() {
      await member.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Entries that a leader keeps beyond its newest snapshot, whatever its flags say. */
export const catchUpEntries = 5_000;

/** With short heartbeats, so that a new leader is found within a second. */
export async function startTestCluster(program: string): Promise<TestCluster> {
  const parent = mkdtempSync(join(tmpdir(), "etcd-cluster-"));
  const ports = await freePorts(6);
  const places = ["a", "b", "c"].map((name, at) => ({ name, port: ports[2 * at]!, peer: ports[2 * at + 1]! }));
  const initial = places.map(({ name, peer }) => `${name}=http://127.0.0.1:${peer}`).join(",");
  const members = places.map(({ name, port, peer }) => {
    const folder = join(parent, name);
    mkdirSync(folder);
    const endpoint = `http://127.0.0.1:${port}`;
    const args = [
      ...["--name", name, "--data-dir", join(folder, "data"), "--initial-cluster", initial],
      ...["--listen-client-urls", endpoint, "--advertise-client-urls", endpoint],
      ...[
        "--listen-peer-urls",
        `http://127.0.0.1:${peer}`,
        "--initial-advertise-peer-urls",
        `http://127.0.0.1:${peer}`,
      ],
      ...["--heartbeat-interval", "50", "--election-timeout", "500"],
      // Few, so that a member that is far behind gets a snapshot instead of the entries.
      ...["--snapshot-count", "500"],
      ...["--max-request-bytes", "2097152", "--logger", "zap", "--log-level", "error"],
    ];
    return createMember(program, { endpoint, port, args, folder });
  });
  await Promise.all(members.map((member) => member.start()));
  return {
    members,
    async leader() {
      for (let deadline = Date.now() + 60_000; Date.now() < deadline; await delay(50)) {
        const leading = await Promise.all(members.map((member) => isLeader(member.endpoint)));
        const found = members[leading.indexOf(true)];
        if (found !== undefined) return found;
      }
      throw new Error("no member leads");
    },
    async remove() {
      await Promise.all(members.map((member) => member.kill()));
      rmSync(parent, { recursive: true, force: true });
    },
  };
}

async function isLeader(endpoint: string): Promise<boolean> {
  try {
    return /^etcd_server_is_leader 1$/m.test((await askMember(`${endpoint}/metrics`, 300)).text);
  } catch {
    return false; // killed or paused
  }
}

/**
 * Asks a member, with POST if there is a body, and fails if it takes longer than `msMax`. Not with `fetch`: aborted between the headers
 * and the body, it may never settle on Node 20.
 */
export function askMember(url: string, msMax: number, body?: string): Promise<{ code: number; text: string }> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { agent: false, method: body === undefined ? "GET" : "POST" }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      answer.on("end", () => resolve({ code: answer.statusCode ?? 0, text }));
      answer.on("error", reject);
    });
    const timer = setTimeout(() => asked.destroy(new Error(`${url} did not answer in time`)), msMax);
    asked.on("error", reject);
    asked.on("close", () => clearTimeout(timer));
    asked.end(body);
  });
}

/** One process of etcd, which the caller starts. */
export function createMember(
  program: string,
  { endpoint, port, args, folder }: { endpoint: string; port: number; args: readonly string[]; folder: string },
): TestProcess {
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    let complaint = "";
    child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"], env: environment(), cwd: folder });
    child.stderr?.on("data", (chunk: Buffer) => {
      complaint = `${complaint}${chunk}`.slice(-2_000);
    });
    await waitForPort(port, child).catch((error: unknown) => {
      throw new Error(`etcd did not start: ${complaint}`, { cause: error });
    });
  };
  const kill = async (): Promise<void> => {
    const running = child;
    child = undefined;
    if (running === undefined || running.exitCode !== null) return;
    const gone = new Promise((resolve) => running.once("exit", resolve));
    running.kill("SIGKILL");
    await gone;
  };
  return { endpoint, kill, start, pause: () => child?.kill("SIGSTOP"), resume: () => child?.kill("SIGCONT") };
}

function supportsNoFsync(program: string): boolean {
  return String(spawnSync(program, ["--help"], { env: environment() }).stdout).includes("--unsafe-no-fsync");
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * Ports that differ: all are held until all are known. They lie below those that the system gives to connections, since one of
 * these could take a port away before etcd has it, or while etcd is down; a connection can even find itself behind its own port.
 */
export async function freePorts(count: number): Promise<number[]> {
  const held = new Map<number, Server>();
  while (held.size < count) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    // Another test may look whether its own server listens there: a connection that stays open would keep the port for ever.
    const server = createServer((socket) => socket.destroy());
    const listens = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => resolve(true));
    });
    if (listens) held.set(port, server);
  }
  await Promise.all([...held.values()].map((server) => new Promise((resolve) => server.close(resolve))));
  return [...held.keys()];
}

async function waitForPort(port: number, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1");
      socket.once("connect", () => {
        socket.destroy();
        resolve(true);
      });
      socket.once("error", () => resolve(false));
    });
    if (open) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error("it did not listen in time");
}
