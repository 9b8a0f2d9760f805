/** What a server for tests has: faults, simulated nodes and copies of itself. */

import { FaultPlans } from "./fault-plans.tsx";
import { Forks } from "./forks.tsx";
import type { Page } from "./page.ts";
import { SimulatedNodes } from "./simulated-nodes.tsx";
import { Stages } from "./stages.tsx";
import { VirtualClock } from "./virtual-clock.tsx";

export function Testing({ page }: { readonly page: Page }) {
  const plans = page.discovery.find("faultplans");
  const nodes = page.discovery.find("nodes");
  const stages = page.discovery.find("stages.simulation.orch.io");
  return (
    <article>
      <h1>Testing</h1>
      {page.testing.hasClock && <VirtualClock connection={page.connection} />}
      {plans === undefined ? (
        <p class="note">This server does not serve fault plans: start it with --enable-testing.</p>
      ) : (
        <FaultPlans page={page} resource={plans} />
      )}
      {nodes !== undefined && <SimulatedNodes page={page} resource={nodes} />}
      {stages !== undefined && <Stages page={page} resource={stages} />}
      <Forks page={page} />
    </article>
  );
}
