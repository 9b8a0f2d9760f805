/**
 * The health of the parts of a control plane, for old clients. The store is checked directly; controllers and schedulers may run
 * anywhere, so they count as healthy if one of them holds its lease.
 */

import { Lease } from "../../api/coordination/v1/lease.ts";
import { type ComponentCondition, ComponentStatus } from "../../api/core/v1/component-status.ts";
import type { Catalog } from "../../machinery/schema/catalog.ts";
import { familyIdOf } from "../../machinery/schema/identity.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { VirtualSource } from "../../registry/contract/allocator.ts";
import type { Registry } from "../../registry/contract/registry.ts";

export const componentsFamily = familyIdOf(ComponentStatus);

interface ComponentsOptions {
  readonly catalog: Catalog;
  /** Fails when the store does not answer. */
  readonly askStore: () => Promise<void>;
  /** Which of them run in the process of this server, and hold no lease. Default: none. */
  readonly runningHere?: (() => readonly ComponentName[]) | undefined;
}

/** A part of a control plane beside the store. */
export type ComponentName = (typeof leaseHolders)[number]["name"];

/** Their names in v1.21, with the leases that they hold. */
const leaseHolders = [
  { name: "controller-manager", lease: "orch-controller-manager" },
  { name: "scheduler", lease: "orch-scheduler" },
] as const;

export function createComponents({
  catalog,
  askStore,
  runningHere = () => [],
}: ComponentsOptions): Required<Pick<VirtualSource, "objects">> {
  const { vocabulary, clock } = catalog.environment;
  const namespace = vocabulary.word("orch-system");

  const askLease = (registry: Registry, name: string): string => {
    const entry = registry.peek(catalog.of(Lease), { namespace, name });
    if (entry === undefined) throw new Error(`the lease ${namespace}/${name} does not exist`);
    const { spec = {} } = entry.object();
    const { holderIdentity, renewTime, leaseDurationSeconds = 0 } = spec;
    if (!holderIdentity || !renewTime) throw new Error(`the lease ${namespace}/${name} has no holder`);
    if (Date.parse(renewTime) + leaseDurationSeconds * 1_000 < clock.now()) {
      throw new Error(`the lease ${namespace}/${name} ran out; ${holderIdentity} had it last`);
    }
    return "ok";
  };

  return {
    objects: (registry) =>
      Promise.all([
        check(vocabulary.word("kvstore-0"), () => askStore().then(() => `{"health":"true"}`)),
        ...leaseHolders.map(({ name, lease }) =>
          check(name, async () => (runningHere().includes(name) ? "ok" : askLease(registry, vocabulary.word(lease)))),
        ),
      ]),
  };
}

/** `ask` returns a message, or throws. */
async function check(name: string, ask: () => Promise<string>): Promise<ApiObject> {
  const told: Omit<ComponentCondition, "type"> = await ask().then(
    (message) => ({ status: "True", message }),
    (error: unknown) => ({ status: "False", error: error instanceof Error ? error.message : String(error) }),
  );
  return { metadata: { name }, conditions: [{ type: "Healthy", ...told }] };
}
