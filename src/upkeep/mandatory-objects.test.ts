import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { catalog as kinds } from "../api/catalog.ts";
import { Namespace } from "../api/core/v1/namespace.ts";
import { createFeatureGates } from "../api/feature-gates.ts";
import { FlowSchema } from "../api/flowcontrol/v1beta1/flow-schema.ts";
import { type Clock, createManualClock, systemClock } from "../base/clock.ts";
import { silentLog } from "../base/log.ts";
import { createMemoryKv } from "../kv/memory/memory.ts";
import { createCatalog } from "../machinery/catalog/bind.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import { createEnvironment } from "../main/environment.ts";
import { createServer } from "../main/library.ts";
import { admitAll } from "../registry/contract/admission.ts";
import type { Registry } from "../registry/contract/registry.ts";
import { serverWrites } from "../registry/contract/server-writes.ts";
import { openRegistry } from "../registry/registry.ts";
import { orch } from "../vocabulary/orch.ts";
import { keepMandatoryObjects, remakeIntervalMs, remakeMandatoryObjects } from "./mandatory-objects.ts";

const flowControl = "/apis/flowcontrol.apiserver.orch.io/v1beta1";
const mandatory = [
  `${flowControl}/prioritylevelconfigurations/catch-all`,
  `${flowControl}/flowschemas/exempt`,
  "/api/v1/namespaces/orch-node-lease",
];
const suggested = `${flowControl}/flowschemas/global-default`;

const soon = { timeout: 60_000 };

test("deleted mandatory objects are recreated within a minute; suggested ones are not", async () => {
  const clock = createManualClock(Date.parse("2021-06-01T00:00:00Z"));
  const server = await createServer({ clock });
  const codes = (paths: readonly string[]) => Promise.all(paths.map(async (path) => (await server.fetch(path)).status));
  const deleted = [...mandatory.slice(0, 2), suggested];
  try {
    await new Promise(setImmediate); // upkeep starts once the server accepts clients
    for (const path of deleted) expect((await server.fetch(path, { method: "DELETE" })).status).toBe(200);
    expect(await codes(deleted)).toEqual([404, 404, 404]);
    for (const round of [1, 2]) {
      clock.advance(remakeIntervalMs);
      await expect.poll(() => codes(mandatory), { message: `round ${round}` }).toEqual([200, 200, 200]);
      await server.fetch(mandatory[1]!, { method: "DELETE" });
    }
    expect(await codes([suggested])).toEqual([404]);
  } finally {
    await server.close();
  }
});

test("since 1.23 suggested objects are kept as suggested, unless their annotation says that they are not followed", async () => {
  const clock = createManualClock(Date.parse("2021-06-01T00:00:00Z"));
  const server = await createServer({ clock, emulatedVersion: "1.35", controllers: false });
  const path = "/apis/flowcontrol.apiserver.orch.io/v1/flowschemas";
  const annotation = "apf.orch.io/autoupdate-spec";
  const read = async (name: string) => {
    const object = (await (await server.fetch(`${path}/${name}`)).json()) as {
      metadata: { annotations?: Record<string, string> };
      spec?: { matchingPrecedence?: number };
    };
    return [object.spec?.matchingPrecedence, object.metadata.annotations?.[annotation]];
  };
  const patch = (name: string, body: object) =>
    server.fetch(`${path}/${name}`, {
      method: "PATCH",
      headers: { "content-type": "application/merge-patch+json" },
      body: JSON.stringify(body),
    });
  try {
    await new Promise(setImmediate); // upkeep starts once the server accepts clients
    expect(await read("global-default")).toEqual([9900, "true"]);
    await server.fetch(`${path}/global-default`, { method: "DELETE" });
    await patch("service-accounts", { spec: { matchingPrecedence: 8001 } });
    const own = { metadata: { annotations: { [annotation]: "false" } }, spec: { matchingPrecedence: 8002 } };
    await patch("probes", own);
    await patch("system-nodes", { metadata: { annotations: null }, spec: { matchingPrecedence: 502 } });
    clock.advance(remakeIntervalMs);
    await vi.waitFor(async () => {
      expect(await read("global-default"), "deleted").toEqual([9900, "true"]);
      expect(await read("service-accounts"), "changed although it is followed").toEqual([9000, "true"]);
      expect(await read("probes"), "not followed").toEqual([8002, "false"]);
      expect(await read("system-nodes"), "changed, and nothing says that it is followed").toEqual([502, "false"]);
    }, soon);
  } finally {
    await server.close();
  }
});

test("a deleted suggested object is not recreated at the next start", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "orch-suggested-"));
  try {
    for (const [before, deleted] of [
      [200, 200],
      [404, 404],
    ]) {
      const server = await createServer({ dataDir, controllers: false });
      try {
        expect((await server.fetch(suggested)).status).toBe(before);
        expect((await server.fetch(suggested, { method: "DELETE" })).status).toBe(deleted);
        expect((await server.fetch(mandatory[1]!)).status).toBe(200);
      } finally {
        await server.close();
      }
    }
  } finally {
    rmSync(dataDir, { recursive: true });
  }
});

/** A registry alone, without a server. */
async function openParts(clock: Clock = systemClock) {
  const kv = createMemoryKv();
  const gates = createFeatureGates(new Map());
  const environment = createEnvironment({ vocabulary: orch, gates, clock, allowPrivileged: false, random: undefined });
  const catalog = createCatalog(kinds, environment);
  const registry = await openRegistry({ kv, catalog, admission: admitAll, clock, log: silentLog });
  const close = async () => {
    await registry.close();
    await kv.close();
  };
  return { registry, catalog, close };
}

test("a mandatory object that another release stored with other content is corrected", async () => {
  const { registry, catalog, close } = await openParts();
  try {
    const schemas = catalog.of(FlowSchema);
    const ref = { namespace: "", name: "catch-all" };
    const precedence = () => registry.peek(schemas, ref)?.object().spec?.matchingPrecedence;
    await remakeMandatoryObjects({ registry, catalog });
    const context = { ...serverWrites("flow control objects", orch), skipRules: true };
    await registry.update(
      schemas,
      ref,
      (current) => ({ ...current!, spec: { ...current!.spec!, matchingPrecedence: 77 } }),
      context,
    );
    expect(precedence()).toBe(77);
    await remakeMandatoryObjects({ registry, catalog });
    expect(precedence()).toBe(10_000);
  } finally {
    await close();
  }
});

test("rounds look at the objects only after a change, and again after a failure", async () => {
  const clock = createManualClock(0);
  const { registry, catalog, close } = await openParts(clock);
  let looks = 0;
  let fails = true;
  const counted: Registry = {
    ...registry,
    peek(kind, ref) {
      looks++;
      if (fails) throw new Error("not now");
      return registry.peek(kind, ref);
    },
  };
  const running = keepMandatoryObjects({ registry: counted, catalog, clock, log: silentLog });
  /** How many objects a round has looked at. */
  const round = async () => {
    looks = 0;
    clock.advance(remakeIntervalMs);
    await registry.catchUp();
    await new Promise(setImmediate);
    return looks;
  };
  try {
    expect(await round()).toBeGreaterThan(0);
    expect(await round(), "after a failure").toBeGreaterThan(0);
    fails = false;
    await expect.poll(round, { message: "what it has created is looked at once more" }).toBe(0);
    const label = (current: ApiObject | undefined): ApiObject => {
      const { metadata, ...rest } = current!;
      return { ...rest, metadata: { ...metadata, labels: { team: "blue" } } };
    };
    const context = serverWrites("bootstrap objects", orch);
    await registry.update(catalog.of<ApiObject>(Namespace), { namespace: "", name: "orch-public" }, label, context);
    expect(await round(), "after a change").toBeGreaterThan(0);
  } finally {
    await running.close();
    await close();
  }
});
