/** Quotas where several servers write to one store: what one server takes the other cannot take as well. */

import { expect, test } from "vitest";
import { systemClock } from "../base/clock.ts";
import { silentLog } from "../base/log.ts";
import { createMemoryFetch } from "../http/memory-exchange.ts";
import type { Kv } from "../kv/contract.ts";
import { createMemoryKv } from "../kv/memory/memory.ts";
import { orch } from "../vocabulary/orch.ts";
import { createAccess } from "./access.ts";
import { createIsServed } from "./flags/runtime-config.ts";
import { openServer } from "./server.ts";

const admin = { name: "admin", uid: "", groups: ["system:masters", "system:authenticated"], extra: new Map() };

async function open(kv: Kv) {
  const authentication = {
    clientAuthorities: undefined,
    staticTokens: undefined,
    bootstrapTokens: false,
    audiences: [],
  };
  const authorization = { modes: ["AlwaysAllow" as const], subjectNames: "exact" as const, policies: [] };
  const server = await openServer({
    vocabulary: orch,
    kv,
    clock: systemClock,
    log: silentLog,
    gates: new Map(),
    isServed: createIsServed(new Map()),
    allowPrivileged: true,
    admission: {
      enable: [],
      disable: ["ServiceAccount"],
      notReadyTolerationSeconds: 300,
      unreachableTolerationSeconds: 300,
    },
    access: (parts) => createAccess({ authentication, authorization }, parts),
    anonymous: false,
    limits: {},
    livezGraceMs: 0,
    storeTimeoutMs: 2_000,
    historyMs: 300_000,
    sharedStore: true,
  });
  const fetch = createMemoryFetch(server.handler, { user: admin });
  const send = (method: string, path: string, body: object, type = "application/json") =>
    fetch(path, { method, headers: { "content-type": type }, body: JSON.stringify(body) });
  return { server, fetch, send };
}

test("of many creations through two servers only as many pass as the quota allows", async () => {
  const kv = createMemoryKv();
  // The store outlives the first server that closes.
  const closeStore = kv.close.bind(kv);
  kv.close = async () => undefined;
  const [one, two] = [await open(kv), await open(kv)];
  const base = "/api/v1/namespaces/default";
  const hard = { configmaps: "7" };
  await one.send("POST", `${base}/resourcequotas`, { metadata: { name: "q" }, spec: { hard } });
  const status = { hard, used: { configmaps: "0" } };
  await one.send("PATCH", `${base}/resourcequotas/q/status`, { status }, "application/merge-patch+json");
  await expect.poll(async () => (await two.fetch(`${base}/resourcequotas/q`)).text()).toContain('"used":{');

  const codes = await Promise.all(
    Array.from({ length: 30 }, async (_, index) => {
      const { send } = index % 2 === 0 ? one : two;
      return (await send("POST", `${base}/configmaps`, { metadata: { name: `c${index}` } })).status;
    }),
  );
  expect(codes.filter((code) => code === 201).length).toBeLessThanOrEqual(7);
  const made = (await (await one.fetch(`${base}/configmaps`)).json()) as { items: unknown[] };
  const quota = (await (await one.fetch(`${base}/resourcequotas/q`)).json()) as { status: { used: object } };
  expect(made.items).toHaveLength(codes.filter((code) => code === 201).length);
  expect(quota.status.used).toEqual({ configmaps: String(made.items.length) });
  await one.server.close();
  await two.server.close();
  await closeStore();
});
