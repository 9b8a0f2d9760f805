/** An `orch apiserver` in a process of its own, for tests that stop it in their own way. */

import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { Agent } from "node:https";
import { join, resolve } from "node:path";
import { adminToken, call } from "../cluster/call.ts";
import { freePort } from "./programs.ts";

/** Generous, because the machine may be busy. */
const startMsMax = 60_000;

export interface OwnServer {
  readonly port: number;
  readonly agent: Agent;
  readonly child: ChildProcess;
  /** The exit code; null: a signal ended it. */
  readonly exited: Promise<number | null>;
  output(): string;
}

/** Certificates and tokens are kept in `folder`; resolves when the server is ready. */
export async function startOwnServer(
  folder: string,
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<OwnServer> {
  const tokens = join(folder, "tokens.csv");
  writeFileSync(tokens, `${adminToken},admin,1,"system:masters"\n`, { mode: 0o600 });
  const port = await freePort();
  const args = [
    ...["apiserver", "--bind-address=127.0.0.1", `--secure-port=${port}`, `--cert-dir=${join(folder, "certs")}`],
    ...["--authorization-mode=RBAC", `--token-auth-file=${tokens}`, ...flags],
  ];
  const child = spawn(process.execPath, [resolve("bin/orch"), ...args], { env: { ...process.env, ...env } });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text += String(chunk)));
  const exited = new Promise<number | null>((done) => child.once("exit", (code) => done(code)));
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  const server = { port, agent, child, exited, output: () => text };
  for (const deadline = Date.now() + startMsMax; Date.now() < deadline; ) {
    const ready = await call(server, "GET", "/readyz", { timeoutMs: 2_000 });
    if (ready.kind === "answer" && ready.status === 200) return server;
    if (child.exitCode !== null) break;
    await new Promise((done) => setTimeout(done, 20));
  }
  child.kill("SIGKILL");
  throw new Error(`the server did not start: ${text}`);
}
