/** Three API servers and two controller managers on three members of etcd, each a process, and what happened to them. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom } from "../../src/base/seeded-random.ts";
import { freePorts } from "../../src/kv/etcd/server.fixture.ts";
import { adminToken, type CallOptions, call, type Outcome } from "./call.ts";
import { type Manager, openManager } from "./manager.ts";
import { type Members, openMembers } from "./members.ts";
import { type EtcdRecord, openRecord } from "./record.ts";
import { openServer, type Server } from "./server.ts";

export interface Cluster {
  readonly members: Members;
  readonly servers: readonly Server[];
  readonly managers: readonly Manager[];
  readonly record: EtcdRecord;
  /** When writes were acknowledged, and when etcd had to find a new leader, by Date.now(). */
  readonly times: Times;
  /** From 0 up to, not including, 1; repeatable by the seed. */
  random(): number;
  pick<T>(from: readonly T[]): T;
  /** One of the servers that should answer; waits until there is one. */
  anyServer(): Promise<Server>;
  /**
   * Sends until an answer comes that is not a sign of trouble (429, 5xx, no answer), on any server. Only for requests that may
   * be repeated.
   */
  insist(method: string, path: string, options?: CallOptions): Promise<Extract<Outcome, { kind: "answer" }>>;
  close(options?: { readonly keepFolder?: boolean }): Promise<void>;
  readonly folder: string;
}

export interface Times {
  readonly acknowledgedMs: number[];
  readonly leaderLost: { readonly name: string; readonly fromMs: number; readonly toMs: number }[];
}

export interface ClusterOptions {
  readonly etcd: string;
  readonly seed: number;
}

const serverNames = ["one", "two", "three"];
/** How long something may take that must happen, on a machine that is busy with other things. */
export const patienceMs = 120_000;

export async function openCluster({ etcd, seed }: ClusterOptions): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), "orch-cluster-"));
  const tokens = join(folder, "tokens.csv");
  writeFileSync(tokens, `${adminToken},admin,1,"system:masters"\nalice-token,alice,2,\n`, { mode: 0o600 });
  const random = seededRandom(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const members = await openMembers(etcd, folder);
  const record = await openRecord(members.all.map(({ endpoint }) => endpoint));
  const ports = await freePorts(serverNames.length);
  const flags = [
    `--token-auth-file=${tokens}`,
    "--authorization-mode=RBAC",
    "--feature-gates=APIServerIdentity=true",
    "--identity-lease-renew-interval-seconds=2",
    "--identity-lease-duration-seconds=20",
    // Small, so that servers compete for them.
    "--service-cluster-ip-range=10.9.0.0/27",
    "--service-node-port-range=30000-30019",
    "--shutdown-delay-duration=1s",
    // Short, so that history is compacted while members are behind and watches are resumed.
    "--etcd-compaction-interval=30s",
  ];
  const servers = await Promise.all(
    serverNames.map((name, at) =>
      openServer({ name, port: ports[at]!, address: `192.0.2.${at + 1}`, members: members.all, folder, flags }),
    ),
  );
  await Promise.all(servers.map((server) => server.start()));
  const managers = servers.slice(0, 2).map((server, at) => openManager({ name: `manager-${at + 1}`, server, folder }));
  for (const manager of managers) manager.start();

  let closed = false;
  const anyServer = async (): Promise<Server> => {
    for (;;) {
      if (closed) throw new Error("the cluster is closed");
      const up = servers.filter(({ isUp }) => isUp);
      if (up.length > 0) return pick(up);
      await pause(50);
    }
  };
  return {
    folder,
    members,
    servers,
    managers,
    record,
    times: { acknowledgedMs: [], leaderLost: [] },
    random,
    pick,
    anyServer,
    async insist(method, path, options) {
      const deadline = Date.now() + patienceMs;
      for (;;) {
        const outcome = await call(await anyServer(), method, path, options);
        if (outcome.kind === "answer" && outcome.status < 500 && outcome.status !== 429) return outcome;
        if (Date.now() > deadline) throw new Error(`${method} ${path} never succeeded: ${JSON.stringify(outcome)}`);
        await pause(100);
      }
    },
    async close({ keepFolder = false } = {}) {
      closed = true;
      await Promise.all(managers.map((manager) => manager.close()));
      await Promise.all(servers.map((server) => server.close()));
      await record.close();
      await members.close();
      if (!keepFolder) rmSync(folder, { recursive: true, force: true });
    },
  };
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Asks again until `ask` returns something else than undefined. */
export async function eventually<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const found = await ask();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`this never happened: ${what}`);
    await pause(100);
  }
}
