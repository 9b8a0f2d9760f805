/** ComponentStatuses, which old clients read. */

import { describe, expect, test } from "vitest";
import { createComponents } from "../../src/actions/components/components.ts";
import { Lease } from "../../src/api/coordination/v1/lease.ts";
import { createManualClock } from "../../src/base/clock.ts";
import { createCatalog } from "../../src/machinery/catalog/bind.ts";
import { plainEnvironment } from "../../src/machinery/schema/environment.suite.ts";
import { createServer } from "../../src/main/library.ts";
import type { Registry } from "../../src/registry/contract/registry.ts";

const path = "/api/v1/componentstatuses";
const leases = "/apis/coordination.orch.io/v1/namespaces/orch-system/leases";
const start = Date.parse("2021-06-01T00:00:00Z");

interface Component {
  readonly metadata: { readonly name: string };
  readonly conditions: readonly { readonly type: string; readonly status: string }[];
}
const healthOf = ({ metadata, conditions }: Component) => `${metadata.name} ${conditions[0]?.status}`;

describe("components", () => {
  test("are the store, which is healthy, and two components that do not run", async () => {
    await using server = await createServer();
    const list = (await (await server.fetch(path)).json()) as { metadata: object; items: Component[] };
    expect(list).toMatchObject({ kind: "ComponentStatusList", metadata: {} });
    expect(list.metadata).toEqual({});
    expect(list.items.map(healthOf)).toEqual(["controller-manager False", "kvstore-0 True", "scheduler False"]);
    expect(list.items[1]).toEqual({
      metadata: { name: "kvstore-0", creationTimestamp: null },
      conditions: [{ type: "Healthy", status: "True", message: `{"health":"true"}` }],
    });
  });

  test("can be read one by one, selected and shown in a table", async () => {
    await using server = await createServer({ vocabulary: "kubernetes" });
    const one = await server.fetch(`${path}/etcd-0`);
    expect(await one.json()).toMatchObject({ kind: "ComponentStatus", metadata: { name: "etcd-0" } });
    expect((await server.fetch(`${path}/other`)).status).toBe(404);
    const chosen = await server.fetch(`${path}?fieldSelector=metadata.name%3Dscheduler`);
    expect(((await chosen.json()) as { items: Component[] }).items.map(healthOf)).toEqual(["scheduler False"]);
    const table = await server.fetch(path, { headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" } });
    const { rows } = (await table.json()) as { rows: { cells: unknown[] }[] };
    expect(rows.map(({ cells }) => cells.slice(0, 2))).toEqual([
      ["controller-manager", "Unhealthy"],
      ["etcd-0", "Healthy"],
      ["scheduler", "Unhealthy"],
    ]);
  });

  test("are healthy while their lease is held", async () => {
    const clock = createManualClock(start);
    await using server = await createServer({ clock });
    const spec = { holderIdentity: "a", leaseDurationSeconds: 15, renewTime: "2021-06-01T00:00:00.000000Z" };
    const made = await server.fetch(leases, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ metadata: { name: "orch-scheduler" }, spec }),
    });
    expect(made.status).toBe(201);
    const read = async () => healthOf((await (await server.fetch(`${path}/scheduler`)).json()) as Component);
    expect(await read()).toBe("scheduler True");
    clock.advance(16_000);
    expect(await read()).toBe("scheduler False");
  });

  test("are healthy while they run in the process of the server, without a lease", async () => {
    const catalog = createCatalog([Lease], plainEnvironment({ clock: createManualClock(start) }));
    const { objects } = createComponents({
      catalog,
      askStore: async () => {},
      runningHere: () => ["controller-manager"],
    });
    const registry = { peek: () => undefined } as Partial<Registry> as Registry; // there are no leases
    expect((await objects(registry)).map((one) => healthOf(one as Partial<Component> as Component))).toEqual([
      "kvstore-0 True",
      "controller-manager True",
      "scheduler False",
    ]);
  });

  test("report a store that does not answer", async () => {
    const catalog = createCatalog([], plainEnvironment({ clock: createManualClock(start) }));
    const { objects } = createComponents({ catalog, askStore: () => Promise.reject(new Error("too late")) });
    const [store] = await objects({} as Registry); // nothing is served, so the registry is not used
    expect(store).toEqual({
      metadata: { name: "kvstore-0" },
      conditions: [{ type: "Healthy", status: "False", error: "too late" }],
    });
  });
});
