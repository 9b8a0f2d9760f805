/** A server with workspaces whose clock a test moves, and short ways to use it. */

import { expect } from "vitest";
import { createManualClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import { createMemoryFetch } from "../../http/transport/memory-exchange.ts";
import type { Kv } from "../../kv/contract.ts";
import { createMemoryKv } from "../../kv/memory/memory.ts";
import { serverUser } from "../../registry/contract/server-writes.ts";
import { vocabularyOf } from "../../vocabulary/by-name.ts";
import { createAccess } from "../access/access.ts";
import type { ServerOptions } from "../server/options.ts";
import { openServerWithWorkspaces } from "./serve.ts";
import type { WorkspaceServers } from "./workspaces.ts";

export const all = "/apis/tenancy.orch.io/v1alpha1/workspaces";
export const maps = "/api/v1/namespaces/default/configmaps";
export const post = (body: object) => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

interface Shared {
  readonly kv?: Kv;
  readonly clock?: ReturnType<typeof createManualClock>;
  /** Whether other servers have the store. */
  readonly isShared?: boolean;
  readonly startControllers?: WorkspaceServers["startControllers"];
}

export async function openWithClock(openMax: number, idleMax = openMax, shared: Shared = {}) {
  const { kv = createMemoryKv(), clock = createManualClock(Date.UTC(2026, 0, 1)) } = shared;
  const { isShared = false, startControllers } = shared;
  const accessOf = (): ServerOptions["access"]["open"] => (parts) =>
    createAccess(
      {
        authentication: { bootstrapTokens: false, audiences: [] },
        authorization: { modes: ["AlwaysAllow"], subjectNames: "exact", policies: [] },
      },
      parts,
    );
  const server = await openServerWithWorkspaces(
    {
      clock,
      log: silentLog,
      api: { vocabulary: vocabularyOf("orch"), gates: new Map(), isServed: () => true, allowPrivileged: true },
      store: { kv, isShared, timeoutMs: 2_000, historyMs: 300_000 },
      access: { open: accessOf(), anonymous: false },
      admission: {
        enable: [],
        disable: ["ServiceAccount"],
        notReadyTolerationSeconds: 300,
        unreachableTolerationSeconds: 300,
      },
      requests: { limits: {}, livezGraceMs: 0 },
      network: {},
    },
    { accessOf, startControllers },
    { openMax, idleMax, idleMs: 30_000 },
  );
  const fetch = createMemoryFetch(server.handler, { user: serverUser });
  const make = async (name: string, type = "") => {
    const spec = type === "" ? {} : { spec: { type } };
    await fetch(all, post({ apiVersion: "tenancy.orch.io/v1alpha1", kind: "Workspace", metadata: { name }, ...spec }));
    await expect.poll(async () => (await fetch(`/clusters/${name}${maps}`)).status).toBe(200);
  };
  const write = async (name: string, key: string) =>
    (await fetch(`/clusters/${name}${maps}`, post({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: key } })))
      .status;
  const count = async (name: string) =>
    ((await (await fetch(`/clusters/${name}${maps}`)).json()) as { items: unknown[] }).items.length;
  return { server, clock, kv, fetch, make, write, count };
}
