/** The endpoints of `orch` in `default` list the servers that live, and identity leases exist for them. */

import { type Cluster, eventually, pause } from "./cluster.ts";
import type { Subject } from "./subject.ts";

const path = "/api/v1/namespaces/default/endpoints/orch";
const leases =
  "/apis/coordination.orch.io/v1/namespaces/orch-system/leases?labelSelector=orch.io/component=orch-apiserver";

export function endpoints(cluster: Cluster, { waitForExpiry }: { readonly waitForExpiry: boolean }): Subject {
  const listed = async (): Promise<string> => {
    const { body } = await cluster.insist("GET", path);
    return (body.subsets ?? []).flatMap(({ addresses = [] }) => addresses.map(({ ip }) => ip)).join(" ");
  };
  const until = async (what: string): Promise<void> => {
    const expected = cluster.servers.filter(({ isUp }) => isUp).map(({ address }) => address);
    await eventually(
      `${what}: ${expected.join(" ")}`,
      async () => (await listed()) === expected.join(" ") || undefined,
    );
  };
  return {
    name: "endpoints of living servers",
    run: (signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve())),
    async verify() {
      await until("the endpoints list all servers");
      const [first, second] = cluster.servers;
      await first?.stop();
      await until("the endpoints do not list the server that stopped");
      await first?.start();
      await until("the endpoints list the server that came back");
      if (waitForExpiry) {
        await second?.kill();
        await until("the endpoints do not list the server that was killed");
        await second?.start();
        await until("the endpoints list the server that was killed and came back");
      }
      await eventually("each server has an identity lease, and servers that are gone have none", async () => {
        await pause(waitForExpiry ? 500 : 0);
        const { body } = await cluster.insist("GET", leases);
        const count = body.items?.length ?? 0;
        return (waitForExpiry ? count === cluster.servers.length : count >= cluster.servers.length) || undefined;
      });
      return `the list followed a stop${waitForExpiry ? ", a kill" : ""} and the return`;
    },
  };
}
