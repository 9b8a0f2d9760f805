/** API server identity: with the gate APIServerIdentity every server holds a Lease, and leases of servers that are gone are removed. */

import { Lease } from "../api/coordination/v1/lease.ts";
import type { Catalog } from "../machinery/schema/catalog.ts";
import { StatusError } from "../machinery/status/status.ts";
import { formatMicroTime, parseInstant } from "../machinery/values/time.ts";
import { serverWrites } from "../registry/contract/server-writes.ts";
import type { IdentityLease, RunningUpkeep, Upkeep, UpkeepParts } from "./contract.ts";
import { every } from "./every.ts";

/** The defaults of v1.21. */
export const defaultIdentityLease: IdentityLease = { durationSeconds: 3_600, renewIntervalMs: 10_000 };

/** The label by which the leases of servers are found, with neutral names. */
const componentLabel = "orch.io/component";
const component = "orch-apiserver";
const namespace = "orch-system";

const idle: RunningUpkeep = { close: async () => undefined };

function isOn({ environment }: Catalog): boolean {
  return environment.gates.enabled("APIServerIdentity");
}

/** Renews the lease of this server, whose name is new in each process. */
export const identityLease: Upkeep = {
  name: "identity lease",
  start(parts) {
    const { registry, catalog, clock, identity } = parts;
    const kind = catalog.of(Lease);
    if (!isOn(catalog) || !catalog.isServed(kind)) return idle;
    const { vocabulary, randomUid } = catalog.environment;
    const name = `${vocabulary.word(component)}-${randomUid()}`;
    const ref = { namespace: vocabulary.word(namespace), name };
    const context = serverWrites("own service", vocabulary);
    const renewed = (current: Lease | undefined): Lease => ({
      metadata: { ...ref, labels: { [vocabulary.word(componentLabel)]: vocabulary.word(component) } },
      ...current,
      spec: {
        ...current?.spec,
        holderIdentity: name,
        leaseDurationSeconds: identity.durationSeconds,
        renewTime: microTime(clock.now()),
      },
    });
    return every(parts, {
      name: this.name,
      intervalMs: identity.renewIntervalMs,
      atOnce: true,
      async round() {
        await registry.update(kind, ref, renewed, context, { retry: true, createIfMissing: true });
      },
    });
  },
};

/** Removes leases of servers that have not renewed them in time. Every server does this; one of them is first. */
export const expiredIdentityLeases: Upkeep = {
  name: "expired identity leases",
  start(parts) {
    const { catalog, identity } = parts;
    if (!isOn(catalog) || !catalog.isServed(catalog.of(Lease))) return idle;
    const intervalMs = identity.durationSeconds * 1_000;
    return every(parts, { name: this.name, intervalMs, round: () => removeExpired(parts) });
  },
};

async function removeExpired({ registry, catalog, clock }: UpkeepParts): Promise<void> {
  const kind = catalog.of(Lease);
  const { vocabulary } = catalog.environment;
  const context = serverWrites("own service", vocabulary);
  for (const { namespace: where, name } of registry.peekAll(kind, vocabulary.word(namespace))) {
    const ref = { namespace: where, name };
    const lease = await registry.read(kind, ref).catch(ignoreMissing);
    if (lease === undefined || lease.metadata.labels?.[vocabulary.word(componentLabel)] !== vocabulary.word(component))
      continue;
    if (!isExpired(lease, clock.now())) continue;
    const { uid, resourceVersion } = lease.metadata;
    const preconditions = { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) };
    await registry.delete(kind, ref, { preconditions }, context).catch(ignoreMissing);
  }
}

/** A lease without a time or a duration was not made by a server, and does not live either. */
export function isExpired({ spec }: Pick<Lease, "spec">, nowMs: number): boolean {
  const renewed = spec?.renewTime ? parseInstant(spec.renewTime) : undefined;
  if (renewed === undefined || spec?.leaseDurationSeconds === undefined) return true;
  return (renewed.seconds + spec.leaseDurationSeconds) * 1_000 + renewed.nanos / 1e6 < nowMs;
}

function microTime(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  return formatMicroTime(seconds, Math.round((ms - seconds * 1_000) * 1e6)) ?? "";
}

/** Another server has removed it, or its holder has renewed it. */
function ignoreMissing(error: unknown): undefined {
  if (error instanceof StatusError && (error.reason === "NotFound" || error.reason === "Conflict")) return undefined;
  throw error;
}
