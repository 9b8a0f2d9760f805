/** API server identity: with the gate APIServerIdentity every server holds a Lease, and leases of servers that are gone are removed. */

import { createHash } from "node:crypto";
import { identityLabel, identityNamespace, isIdentityLease } from "../api/coordination/identity-leases.ts";
import { Lease } from "../api/coordination/v1/lease.ts";
import { isLabelValue } from "../machinery/meta/names.ts";
import type { Catalog } from "../machinery/schema/catalog.ts";
import type { Environment } from "../machinery/schema/environment.ts";
import { StatusError } from "../machinery/status/status.ts";
import { formatMicroTime, parseInstant } from "../machinery/values/time.ts";
import { serverWrites } from "../registry/contract/server-writes.ts";
import type { IdentityLease, RunningUpkeep, ServerIdentity, Upkeep, UpkeepParts } from "./contract.ts";
import { every } from "./every.ts";

/** The defaults of v1.21. */
export const defaultIdentityLease: IdentityLease = { durationSeconds: 3_600, renewIntervalMs: 10_000 };

/** For a server that no other shares its store with: an hour of virtual time would have more renewals than other writes. */
export const soleIdentityLease: IdentityLease = { ...defaultIdentityLease, renewIntervalMs: 600_000 };

const idle: RunningUpkeep = { close: async () => undefined };

/** Before 1.27 an id is new in each process; since then it is that of the machine, so a restart renews the lease that is there. */
export function createServerIdentity(
  { vocabulary, has, randomUid }: Environment,
  hostname: string,
  lease: IdentityLease,
): ServerIdentity {
  const component = vocabulary.word("orch-apiserver");
  if (!has("hashedIdentities")) {
    const id = `${component}-${randomUid()}`;
    return { ...lease, hostname, id, holder: id };
  }
  const hash = createHash("sha256").update(withLength(hostname)).update(withLength(component)).digest();
  const id = `apiserver-${base32(hash.subarray(0, idHashBytes))}`;
  return { ...lease, hostname, id, holder: `${id}_${randomUid()}` };
}

const idHashBytes = 16;

/** The bytes of a text after their number, so that no two lists of texts have the same bytes. */
function withLength(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** In lower case, without padding. */
function base32(bytes: Uint8Array): string {
  const digits = "abcdefghijklmnopqrstuvwxyz234567";
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return bits.replace(/.{1,5}/g, (part) => digits.charAt(Number.parseInt(part.padEnd(5, "0"), 2)));
}

export function hasIdentity(catalog: Catalog): boolean {
  return catalog.environment.gates.enabled("APIServerIdentity") && catalog.isServed(catalog.of(Lease));
}

type IdentityParts = Pick<UpkeepParts, "registry" | "catalog" | "clock" | "identity">;

/** Creates the lease of this server, or renews it. */
export async function renewIdentity({ registry, catalog, clock, identity }: IdentityParts): Promise<void> {
  const { environment } = catalog;
  const ref = { namespace: identityNamespace(environment), name: identity.id };
  const renewed = (current: Lease | undefined): Lease => ({
    ...current,
    metadata: {
      ...ref,
      ...current?.metadata,
      labels: { ...current?.metadata.labels, ...labelsOf(identity, environment) },
    },
    spec: {
      ...current?.spec,
      holderIdentity: identity.holder,
      leaseDurationSeconds: identity.durationSeconds,
      renewTime: microTime(clock.now()),
    },
  });
  const context = serverWrites("own service", environment.vocabulary);
  await registry.update(catalog.of(Lease), ref, renewed, context, { retry: true, createIfMissing: true });
}

/** Later releases name the machine too, if its name can be the value of a label. */
function labelsOf({ hostname }: ServerIdentity, environment: Environment): Record<string, string> {
  const { key, value } = identityLabel(environment);
  const namesHost = environment.has("hostLabels") && isLabelValue(hostname).length === 0;
  return { [key]: value, ...(namesHost ? { [environment.vocabulary.word("orch.io/hostname")]: hostname } : {}) };
}

/** Renews the lease of this server. */
export const identityLease: Upkeep = {
  name: "identity lease",
  start(parts) {
    if (!hasIdentity(parts.catalog)) return idle;
    const intervalMs = parts.identity.renewIntervalMs;
    return every(parts, { name: this.name, intervalMs, atOnce: true, round: () => renewIdentity(parts) });
  },
};

/** Removes leases of servers that have not renewed them in time. Every server does this; one of them is first. */
export const expiredIdentityLeases: Upkeep = {
  name: "expired identity leases",
  start(parts) {
    const { catalog, identity } = parts;
    if (!hasIdentity(catalog)) return idle;
    const intervalMs = identity.durationSeconds * 1_000;
    return every(parts, { name: this.name, intervalMs, round: () => removeExpired(parts) });
  },
};

async function removeExpired({ registry, catalog, clock }: UpkeepParts): Promise<void> {
  const kind = catalog.of(Lease);
  const { environment } = catalog;
  const label = identityLabel(environment);
  const context = serverWrites("own service", environment.vocabulary);
  for (const { namespace, name } of registry.peekAll(kind, identityNamespace(environment))) {
    const ref = { namespace, name };
    const lease = await registry.read(kind, ref).catch(ignoreMissing);
    if (lease === undefined || !isIdentityLease(lease, label) || !isExpired(lease, clock.now())) continue;
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
