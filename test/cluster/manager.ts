/** One `orch controller-manager` of the cluster, which talks to the server beside it. */

import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { adminToken } from "./call.ts";
import type { Server } from "./server.ts";

const orch = resolve("bin/orch");
/** Shorter than the default, so that a run sees several leaders, and long enough for a leader to do something in between. */
export const leaseSeconds = 10;
const renewSeconds = 7;

export interface Manager {
  readonly name: string;
  /** It exits when it stops being the leader, and must then be started again. */
  start(): void;
  kill(): Promise<void>;
  pause(): void;
  resume(): void;
  close(): Promise<void>;
}

export function openManager({ name, server, folder }: { name: string; server: Server; folder: string }): Manager {
  const config = join(folder, `${name}.conf`);
  writeFileSync(config, JSON.stringify(clientConfiguration(server.port)), { mode: 0o600 });
  const log = createWriteStream(join(folder, `${name}.log`));
  const args = [
    ...["controller-manager", `--kubeconfig=${config}`, "--secure-port=0", "--log-format=json"],
    ...[`--leader-elect-lease-duration=${leaseSeconds}s`, `--leader-elect-renew-deadline=${renewSeconds}s`],
    "--leader-elect-retry-period=1s",
  ];
  let child: ChildProcess | undefined;
  let closed = false;
  const start = (): void => {
    if (closed || child !== undefined) return;
    const started = spawn(process.execPath, [orch, ...args], { stdio: ["ignore", "pipe", "pipe"] });
    child = started;
    started.stdout.pipe(log, { end: false });
    started.stderr.pipe(log, { end: false });
    started.once("exit", () => {
      if (child === started) child = undefined;
      setTimeout(start, 500).unref(); // as a supervisor would
    });
  };
  const kill = async (): Promise<void> => {
    const killed = child;
    if (killed === undefined) return;
    const gone = new Promise((done) => killed.once("exit", done));
    killed.kill("SIGCONT");
    killed.kill("SIGKILL");
    await gone;
  };
  return {
    name,
    start,
    kill,
    pause: () => void child?.kill("SIGSTOP"),
    resume: () => void child?.kill("SIGCONT"),
    async close() {
      closed = true;
      await kill();
      log.end();
    },
  };
}

function clientConfiguration(port: number): object {
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "own", cluster: { server: `https://127.0.0.1:${port}`, "insecure-skip-tls-verify": true } }],
    users: [{ name: "own", user: { token: adminToken } }],
    contexts: [{ name: "own", context: { cluster: "own", user: "own" } }],
    "current-context": "own",
  };
}
