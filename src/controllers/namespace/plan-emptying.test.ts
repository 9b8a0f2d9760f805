import { expect, test } from "vitest";
import type { DiscoveredResource } from "../../client/contract.ts";
import { type Emptying, nameOf, passOf, planEmptying, type Visited } from "./plan-emptying.ts";

const policyGroup = "networking.orch.io";
const resource = (name: string, group = "", more: Partial<DiscoveredResource> = {}): DiscoveredResource => ({
  ...{ group, version: "v1", resource: name, kind: name, namespaced: true, verbs: ["list", "delete"] },
  ...{ singularName: "", shortNames: [], categories: [], subresources: [], ...more },
});
const discovered = [
  resource("networkpolicies", policyGroup),
  resource("configmaps"),
  resource("pods"),
  resource("pods", "metrics.example.com"),
  resource("nodes", "", { namespaced: false }),
  resource("bindings", "", { verbs: ["create"] }),
];
const visited = (name: string, more: Partial<Visited> = {}): Visited => ({
  ...{ name, found: false, remaining: [], failure: undefined },
  ...more,
});
const held = { metadata: { name: "x", finalizers: ["a.b/c"] } };
const nothing = passOf([], []);
const podsLeft = passOf([visited("pods", { found: true, remaining: [held, held] })], []);
const shown = (step: Emptying | undefined) => step && [step.deletes, ...step.resources.map(nameOf)];

test("pods go first and network policies last; what cannot be listed and deleted in a namespace is left out", () => {
  const first = planEmptying(discovered, { policyGroup, podsAlone: false });
  expect(shown(first)).toEqual([true, "pods"]);
  const second = first.next?.(nothing);
  expect(shown(second)).toEqual([true, "configmaps", "pods.metrics.example.com"]);
  const last = second?.next?.(nothing);
  expect(shown(last)).toEqual([true, "networkpolicies.networking.orch.io"]);
  expect(last?.next).toBeUndefined();
});

test("while pods remain, network policies are only counted", () => {
  const second = planEmptying(discovered, { policyGroup, podsAlone: false }).next?.(podsLeft);
  expect(shown(second)).toEqual([true, "configmaps", "pods.metrics.example.com"]);
  expect(shown(second?.next?.(podsLeft))).toEqual([false, "networkpolicies.networking.orch.io"]);
});

test("with pods alone, the pass ends while one remains, or while pods cannot be deleted", () => {
  const { next } = planEmptying(discovered, { policyGroup, podsAlone: true });
  expect(next?.(podsLeft)).toBeUndefined();
  expect(next?.(passOf([visited("pods", { failure: "no" })], []))).toBeUndefined();
  expect(shown(next?.(nothing))).toEqual([true, "configmaps", "pods.metrics.example.com"]);
});

test("a pass adds up what was found, what remains, what holds it, and what failed", () => {
  const visits = [
    visited("pods", { found: true, remaining: [held, { metadata: { name: "y" } }] }),
    visited("configmaps", { found: true }),
    visited("secrets", { failure: "refused" }),
    visited("leases", { remaining: [held] }),
  ];
  expect(passOf(visits, ["x/v1"])).toEqual({
    found: 2,
    discoveryFailures: ["x/v1"],
    deletionFailures: ["secrets: refused"],
    remaining: new Map(Object.entries({ pods: 2, leases: 1 })),
    finalizers: new Map([["a.b/c", 2]]),
  });
});
