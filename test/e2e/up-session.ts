/** `orch up --vocabulary=kubernetes` as a process of its own, kubectl pointed at it, and a client for what nodes would do. */

import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { createClient } from "../../src/client/client.ts";
import { resolveAccess } from "../../src/client/config/access.ts";
import { mergeConfigs } from "../../src/client/config/file.ts";
import { configPaths, loadConfigFiles } from "../../src/client/config/load.ts";
import { openTransport } from "../../src/client/config/transport.ts";
import type { Client } from "../../src/client/contract.ts";
import { kubernetes } from "../../src/vocabulary/kubernetes.ts";
import { kubectlPath, type Outcome, run } from "./programs.ts";

export interface UpSession {
  readonly url: string;
  readonly folder: string;
  readonly client: Client;
  /** The output of a kubectl command that must succeed. */
  ctl(args: string | readonly string[], options?: { readonly input?: string }): Promise<string>;
  /** Whatever comes of it. */
  tryCtl(args: string | readonly string[], env?: Record<string, string>): Promise<Outcome>;
  close(): Promise<void>;
}

const orch = resolve("bin/orch");
const startMsMax = 60_000;

export async function openUpSession(...flags: readonly string[]): Promise<UpSession> {
  const folder = await mkdtemp(join(tmpdir(), "orch-up-"));
  const [data, ready] = [join(folder, "data"), join(folder, "ready")];
  const own = ["--vocabulary=kubernetes", `--data-dir=${data}`, "--secure-port=0", `--ready-file=${ready}`];
  const child = spawn(process.execPath, [orch, "up", ...own, ...flags], { stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  child.stderr.on("data", (chunk) => {
    log += String(chunk);
  });
  const exited = new Promise<void>((done) => child.once("exit", () => done()));
  const url = await untilReady(ready, () => (child.exitCode === null ? undefined : log));
  const config = join(data, "admin.conf");
  const access = resolveAccess(
    mergeConfigs(loadConfigFiles(configPaths({ explicit: config, env: {}, home: folder }))),
    {},
  );
  if (access === undefined) throw new Error(`${config} names no server`);
  const transport = openTransport(access, {
    clock: systemClock,
    env: process.env,
    isInteractive: false,
    userAgent: "kubelet/v1.21.0",
    requestTimeoutMs: 0,
  });
  const listOf = (args: string | readonly string[]) => (typeof args === "string" ? args.split(" ") : args);
  const env = { KUBECONFIG: config, HOME: folder };
  return {
    url,
    folder,
    client: createClient({
      fetch: transport.fetch,
      vocabulary: kubernetes,
      clock: systemClock,
      userAgent: "kubelet/v1.21.0",
    }),
    async ctl(args, { input } = {}) {
      const list = listOf(args);
      const { code, stdout, stderr } = await run(kubectlPath, list, { env, ...(input ? { input } : {}) });
      expect({ list, code, stderr }).toEqual({ list, code: 0, stderr: expect.not.stringMatching(/error:/i) });
      return stdout;
    },
    tryCtl: (args, more = {}) => run(kubectlPath, listOf(args), { env: { ...env, ...more } }),
    async close() {
      transport.close();
      child.kill("SIGTERM");
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function untilReady(path: string, failure: () => string | undefined): Promise<string> {
  for (const deadline = Date.now() + startMsMax; Date.now() < deadline; ) {
    const failed = failure();
    if (failed !== undefined) throw new Error(`orch up ended: ${failed}`);
    const url = await readFile(path, "utf8").catch(() => "");
    if (url !== "") return url.trim();
    await new Promise((done) => setTimeout(done, 20));
  }
  throw new Error("orch up was not ready in time");
}
