import { expect, test } from "vitest";
import type { Service } from "../../api/core/v1/service.ts";
import type { Results } from "../plan.ts";
import { createHintEvents } from "./hint-events.ts";
import type { HintOutcomes } from "./reconcile.ts";

const service: Service = { metadata: { namespace: "default", name: "s" } };
const done: Results = { of: () => undefined, listed: () => [], pods: { created: 0, deleted: 0 } };

test("a change of whether a service has hints makes an Event, after its slices are written", () => {
  const events = createHintEvents();
  const told = (outcomes: HintOutcomes) => {
    const plan = events.withEvents({ next: () => ({ writes: [] }) }, service, outcomes);
    expect(plan.events).toBeUndefined();
    return (plan.next?.(done)?.next?.(done)?.events ?? []).map(({ reason, message }) => `${reason}: ${message}`);
  };
  const oneZone = "TopologyAwareHintsDisabled: IPv4 endpoints have no hints: nodes are ready in one zone only";
  expect(told({ IPv4: "one zone" })).toEqual([oneZone]);
  expect(told({ IPv4: "one zone" })).toEqual([]);
  expect(told({ IPv4: "given" })).toEqual(["TopologyAwareHintsEnabled: IPv4 endpoints have hints by zone"]);
  events.withEvents({}, service, { IPv4: "one zone" }); // a plan that is not carried out tells nothing
  expect(told({ IPv4: "given" })).toEqual([]);
  expect(told({})).toEqual([
    "TopologyAwareHintsDisabled: IPv4 endpoints have no hints: the service no longer asks for them",
  ]);
  expect(told({})).toEqual([]);
});
