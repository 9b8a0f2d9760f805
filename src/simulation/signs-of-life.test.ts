import { describe, expect, test } from "vitest";
import type { Lease } from "../api/coordination/v1/lease.ts";
import type { Node } from "../api/core/v1/node.ts";
import type { Pod } from "../api/core/v1/pod.ts";
import { goldenLevels } from "../machinery/schema/levels.ts";
import type { OrchServer } from "../main/library.ts";
import { openSimulated, podsPath } from "./simulated-server.suite.ts";

const minuteMs = 60_000;
const read = async <T>(server: OrchServer, path: string) => (await (await server.fetch(path)).json()) as T; // what is at the path
const leasePath = (name: string) => `/apis/coordination.orch.io/v1/namespaces/orch-node-lease/leases/${name}`;
const readyOf = ({ status }: Node) => status?.conditions?.find(({ type }) => type === "Ready");

/** How old the lease of the node and its statement that it is ready are. */
async function agesMs(server: OrchServer, name: string) {
  const now = server.clock.now();
  const lease = await read<Lease>(server, leasePath(name));
  const ready = readyOf(await read<Node>(server, `/api/v1/nodes/${name}`));
  return {
    status: ready?.status,
    lease: now - Date.parse(lease.spec?.renewTime ?? ""),
    heartbeat: now - Date.parse(ready?.lastHeartbeatTime ?? ""),
  };
}

/** How many updates of leases and of nodes the server has answered. */
async function updatesOf(server: OrchServer) {
  const text = await (await server.fetch("/metrics")).text();
  const lines = text.split("\n").filter((line) => /^apiserver_request_total\{.*verb="PUT"/.test(line));
  const of = (resource: string) =>
    lines
      .filter((line) => line.includes(`resource="${resource}"`))
      .reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
  return { leases: of("leases"), nodes: of("nodes") };
}

describe.each(goldenLevels)("at level %s", (emulatedVersion) => {
  test("nodes renew their leases every ten seconds and repeat their status every five minutes", async () => {
    await using simulated = await openSimulated({ emulatedVersion, nodes: 2, controllers: ["nodelifecycle"] });
    const { server, advance } = simulated;
    const before = await updatesOf(server);
    await advance("10m");
    const after = await updatesOf(server);
    expect(after.leases - before.leases).toBe(2 * 60);
    expect(after.nodes - before.nodes).toBe(2 * 2);
    for (const name of ["node-0", "node-1"]) {
      const { status, lease, heartbeat } = await agesMs(server, name);
      expect([status, lease <= 10_000, heartbeat <= 5 * minuteMs]).toEqual(["True", true, true]);
    }
  });

  test("more than fifty nodes renew their leases every fifteen seconds, which still keeps them ready", async () => {
    await using simulated = await openSimulated({ emulatedVersion, nodes: 51, controllers: ["nodelifecycle"] });
    const { server, advance } = simulated;
    await advance("1m");
    const before = await updatesOf(server);
    await advance("1m");
    expect((await updatesOf(server)).leases - before.leases).toBe(51 * 4);
    const { items } = await read<{ items: Node[] }>(server, "/api/v1/nodes");
    expect(items.map((node) => readyOf(node)?.status)).toEqual(items.map(() => "True"));
  });

  test("nodes whose renewals are refused are silent", async () => {
    await using simulated = await openSimulated({ emulatedVersion, nodes: 2, controllers: ["nodelifecycle"] });
    const { server, advance } = simulated;
    server.faults.add({ match: { verb: "update", resource: "leases.coordination.orch.io" }, do: { status: 500 } });
    await advance("2m");
    const { items } = await read<{ items: Node[] }>(server, "/api/v1/nodes");
    expect(items.map((node) => readyOf(node)?.status)).toEqual(["Unknown", "Unknown"]);
  });

  test("ten minutes of a fork are ten minutes of its nodes and pods, and not of the server that was forked", async () => {
    await using simulated = await openSimulated({ emulatedVersion, nodes: 1, controllers: ["nodelifecycle"] });
    const { server, createPod, pod, advance } = simulated;
    await createPod("p", { annotations: { "run-for": "5m" }, spec: { restartPolicy: "Never" } });
    await advance("1m");
    await using fork = await server.fork();
    await fork.clock.advance("10m");
    expect((await read<Pod>(fork, `${podsPath}/p`)).status?.phase).toBe("Succeeded");
    expect(await agesMs(fork, "node-0")).toMatchObject({ status: "True" });
    expect((await agesMs(fork, "node-0")).lease).toBeLessThanOrEqual(10_000);
    expect((await pod("p")).status?.phase).toBe("Running");
  });
});
