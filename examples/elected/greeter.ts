// How do I run a controller in several processes of which one works? With a Lease that the one who leads renews.
import { type Client, ConfigMap, controller, runControllers } from "orch/client";

/** `identity`: who this process is, for those who read the Lease. */
export function startGreeter(client: Client, identity: string) {
  return runControllers({
    client,
    leaderElection: { name: "greeter", identity, retryPeriodMs: 50 },
    controllers: [
      controller({
        name: `greeter-${identity}`,
        for: ConfigMap,
        selection: { labelSelector: "app=greeting" },
        async reconcile({ object }) {
          if (object.data?.["by"] === undefined) await client.of(ConfigMap).patch(object, { data: { by: identity } });
        },
      }),
    ],
  });
}
