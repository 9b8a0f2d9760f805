/**
 * The policies and bindings of one kind, followed in the registry: a policy is effective as soon as its write is acknowledged. It is compiled
 * in time slices, and requests that arrive meanwhile wait for it.
 */

import { inTimeSlices, type Steps } from "../../base/time-slice.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { Registry } from "../../registry/contract/registry.ts";
import { type CompiledBinding, type CompiledPolicy, compileBinding } from "./compiled-policy.ts";

export interface FollowedPolicies<P extends CompiledPolicy> {
  readonly policies: ReadonlyMap<string, P | Promise<P>>;
  readonly bindings: ReadonlyMap<string, CompiledBinding>;
  /** The bindings by the name of their policy, which may not exist; both in the order of names. Not changed later. */
  bound(): readonly BoundPolicy[];
}

type BoundPolicy = readonly [policy: string, bindings: readonly CompiledBinding[]];

export function followPolicies<
  T extends ApiObject,
  B extends ApiObject & Parameters<typeof compileBinding>[0],
  P extends CompiledPolicy,
>(
  registry: Registry,
  policyKind: BoundKind<T>,
  bindingKind: BoundKind<B>,
  compile: (policy: T) => Steps<P>,
): FollowedPolicies<P> {
  const policies = new Map<string, P | Promise<P>>();
  const bindings = new Map<string, CompiledBinding>();
  // Thousands of bindings are put in order once, not for each request.
  let bound: readonly BoundPolicy[] | undefined;
  const add = (name: string, policy: T): void => {
    const pending = inTimeSlices(compile(policy));
    policies.set(name, pending);
    // Later requests need not wait, unless a newer version of the policy has replaced this one.
    const settle = (compiled: P) => {
      if (policies.get(name) === pending) policies.set(name, compiled);
    };
    // The requests that wait for it get the failure.
    pending.then(settle, () => {});
  };
  registry.observe(policyKind, ({ entry, deleted }) => {
    if (deleted) policies.delete(entry.name);
    else add(entry.name, entry.object());
  });
  registry.observe(bindingKind, ({ entry, deleted }) => {
    bound = undefined;
    if (deleted) bindings.delete(entry.name);
    else bindings.set(entry.name, compileBinding(entry.object()));
  });
  for (const entry of registry.peekAll(policyKind)) add(entry.name, entry.object());
  for (const entry of registry.peekAll(bindingKind)) bindings.set(entry.name, compileBinding(entry.object()));
  return {
    policies,
    bindings,
    bound: () => {
      bound ??= inOrder(bindings.values());
      return bound;
    },
  };
}

function inOrder(bindings: Iterable<CompiledBinding>): readonly BoundPolicy[] {
  const byPolicy = new Map<string, CompiledBinding[]>();
  for (const binding of bindings) {
    const ofPolicy = byPolicy.get(binding.policy);
    if (ofPolicy === undefined) byPolicy.set(binding.policy, [binding]);
    else ofPolicy.push(binding);
  }
  for (const ofPolicy of byPolicy.values()) ofPolicy.sort((a, b) => (a.name < b.name ? -1 : 1));
  return [...byPolicy].sort(([a], [b]) => (a < b ? -1 : 1));
}
