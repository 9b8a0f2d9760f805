/** One `orch apiserver` of the cluster, in a process of its own, with a link of its own to each member of etcd. */

import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { Agent } from "node:https";
import { join, resolve } from "node:path";
import { call } from "./call.ts";
import { type Link, type LinkState, openLink } from "./link.ts";
import type { Member } from "./members.ts";

const orch = resolve("bin/orch");
/** Generous, because the machine may be busy. */
const startMsMax = 120_000;

export interface ServerOptions {
  readonly name: string;
  readonly port: number;
  /** Where clients in the cluster would reach it. */
  readonly address: string;
  readonly members: readonly Member[];
  readonly folder: string;
  readonly flags: readonly string[];
}

export interface Server {
  readonly name: string;
  readonly port: number;
  readonly address: string;
  /** Whether it is expected to answer: neither killed, stopped nor paused. */
  readonly isUp: boolean;
  /** When its process was last started, by Date.now(). */
  readonly startedMs: number;
  /** Connections of ordinary clients to it. */
  readonly agent: Agent;
  start(): Promise<void>;
  /** SIGTERM; resolves with the exit code when the process has ended. */
  stop(): Promise<number | null>;
  kill(): Promise<void>;
  pause(): void;
  resume(): void;
  /** Sets the links to all members of etcd, or to one. */
  partition(state: LinkState, member?: Member): void;
  close(): Promise<void>;
}

export async function openServer(options: ServerOptions): Promise<Server> {
  const { name, port, address, members, folder, flags } = options;
  const links = new Map<Member, Link>();
  for (const member of members) links.set(member, await openLink({ targetPort: member.port }));
  const endpoints = [...links.values()].map((link) => `http://127.0.0.1:${link.port}`);
  const args = [
    ...["apiserver", "--bind-address=127.0.0.1", `--secure-port=${port}`, `--advertise-address=${address}`],
    ...[`--etcd-servers=${endpoints.join(",")}`, `--cert-dir=${join(folder, name)}`, "--log-format=json"],
    ...flags,
  ];
  const log = createWriteStream(join(folder, `${name}.log`));
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  let child: ChildProcess | undefined;
  let exited: Promise<number | null> = Promise.resolve(null);
  let paused = false;
  let startedMs = 0;

  const isReady = async (): Promise<boolean> => {
    const answer = await call({ port, agent }, "GET", "/readyz", { timeoutMs: 2_000 });
    return answer.kind === "answer" && answer.status === 200;
  };
  const server = {
    name,
    port,
    address,
    agent,
    get isUp() {
      return child !== undefined && !paused;
    },
    get startedMs() {
      return startedMs;
    },
    async start() {
      startedMs = Date.now();
      const started = spawn(process.execPath, [orch, ...args], { stdio: ["ignore", "pipe", "pipe"] });
      started.stdout.pipe(log, { end: false });
      started.stderr.pipe(log, { end: false });
      exited = new Promise((done) => started.once("exit", (code) => done(code)));
      const deadline = Date.now() + startMsMax;
      while (!(await isReady())) {
        if (started.exitCode !== null) throw new Error(`${name} ended with ${started.exitCode}; see ${folder}`);
        if (Date.now() > deadline) throw new Error(`${name} was not ready in time; see ${folder}`);
        await new Promise((done) => setTimeout(done, 50));
      }
      child = started;
    },
    async stop() {
      const stopped = child;
      child = undefined;
      stopped?.kill("SIGTERM");
      return await exited;
    },
    async kill() {
      const killed = child;
      child = undefined;
      killed?.kill("SIGKILL");
      await exited;
    },
    pause() {
      paused = true;
      child?.kill("SIGSTOP");
    },
    resume() {
      child?.kill("SIGCONT");
      paused = false;
    },
    partition(state: LinkState, member?: Member) {
      for (const [to, link] of links) if (member === undefined || to === member) link.set(state);
    },
    async close() {
      agent.destroy();
      if (paused) server.resume();
      await server.kill();
      await Promise.all([...links.values()].map((link) => link.close()));
      log.end();
    },
  };
  return server;
}
