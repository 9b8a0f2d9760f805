/** A real etcd for tests: one process with its data in a folder of its own, which can be killed and started again. */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TestEtcd {
  readonly endpoint: string;
  /** Kills it (-9) and waits until it is gone. */
  kill(): Promise<void>;
  /** Starts it again on the same data and port. */
  start(): Promise<void>;
  /** SIGSTOP and SIGCONT: it is there and does not answer. */
  pause(): void;
  resume(): void;
  remove(): Promise<void>;
}

export interface TestEtcdOptions {
  /** Paths of PEM files; absent: plain text on loopback. */
  readonly tls?: { readonly ca: string; readonly cert: string; readonly key: string };
}

/** The program's path; installs it where that is possible. Undefined: there is none, and how to get it was printed. */
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
  // etcd 3.4 asks to be told that an arm64 machine is meant.
  return process.arch === "arm64" ? { ...process.env, ETCD_UNSUPPORTED_ARCH: "arm64" } : process.env;
}

export async function startTestEtcd(program: string, options: TestEtcdOptions = {}): Promise<TestEtcd> {
  const folder = mkdtempSync(join(tmpdir(), "etcd-"));
  const port = await freePort();
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
  await start();
  return {
    endpoint,
    kill,
    start,
    pause: () => child?.kill("SIGSTOP"),
    resume: () => child?.kill("SIGCONT"),
    async remove() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function supportsNoFsync(program: string): boolean {
  return String(spawnSync(program, ["--help"], { env: environment() }).stdout).includes("--unsafe-no-fsync");
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

async function waitForPort(port: number, child: ChildProcess): Promise<void> {
  const { connect } = await import("node:net");
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
