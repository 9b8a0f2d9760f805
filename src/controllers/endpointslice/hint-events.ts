/** Events that say whether the endpoints of a service have the hints by zone that it asks for. */

import type { Service } from "../../api/core/v1/service.ts";
import { keyOf } from "../../client/informer/keys.ts";
import type { NoHints } from "../parts/slices/zone-hints.ts";
import type { Plan, PlannedEvent } from "../plan.ts";
import type { AddressType, HintOutcomes } from "./reconcile.ts";

const families: readonly AddressType[] = ["IPv4", "IPv6"];

const reasons: Readonly<Record<NoHints, string>> = {
  nodes: "a node does not say its zone or its CPUs",
  "one zone": "nodes are ready in one zone only",
  "few endpoints": "there are fewer endpoints than zones",
  "no zone": "an endpoint has no zone",
  overload: "an endpoint would get too much more than its share",
};

interface HintEvents {
  /** The plan with Events about what has changed since the last call for the service. */
  withEvents(plan: Plan, service: Service, outcomes: HintOutcomes): Plan;
  forget(key: string): void;
}

/** Writes an Event only if the outcome differs from the last one: nodes and pods change often. */
export function createHintEvents(): HintEvents {
  const recorded = new Map<string, HintOutcomes>();
  return {
    // The outcome is recorded after the slices are written, because a plan that fails is made again.
    withEvents: (plan, service, outcomes) =>
      followedBy(plan, () => {
        const key = keyOf(service);
        const before = recorded.get(key) ?? {};
        if (Object.keys(outcomes).length > 0) recorded.set(key, outcomes);
        else recorded.delete(key);
        const events = families.flatMap((family) => eventsOf(family, outcomes[family], before[family]));
        return events.length === 0 ? undefined : { about: service, events };
      }),
    forget: (key) => void recorded.delete(key),
  };
}

type Outcome = HintOutcomes[AddressType];

function eventsOf(family: AddressType, outcome: Outcome, before: Outcome): PlannedEvent[] {
  if (outcome === before) return [];
  const disabled = (why: string): PlannedEvent[] => [
    { type: "Warning", reason: "TopologyAwareHintsDisabled", message: `${family} endpoints have no hints: ${why}` },
  ];
  if (outcome === undefined) return before === "given" ? disabled("the service no longer asks for them") : [];
  if (outcome !== "given") return disabled(reasons[outcome]);
  return [{ type: "Normal", reason: "TopologyAwareHintsEnabled", message: `${family} endpoints have hints by zone` }];
}

/** The plan, and what follows when all of it is done. */
function followedBy(plan: Plan, last: () => Plan | undefined): Plan {
  return {
    ...plan,
    next(done) {
      const next = plan.next?.(done);
      return next === undefined ? last() : followedBy(next, last);
    },
  };
}
