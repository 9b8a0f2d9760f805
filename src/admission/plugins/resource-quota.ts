/** Counts what a namespace uses and refuses what would be too much. */

import { ResourceQuota } from "../../api/core/v1/resource-quota.ts";
import { type Amounts, takeFrom } from "../../api/quota/amounts.ts";
import { type Meter, meterOf } from "../../api/quota/meter.ts";
import { createLanes } from "../../base/lanes.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { StatusError } from "../../machinery/status/status.ts";
import type { Change } from "../../registry/contract.ts";
import { serverWrites } from "../../registry/server-writes.ts";
import { type AdmissionContext, refuse } from "../context.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../contract.ts";
import { excess, isLimited, limitedPart, statusAfter, unknownUse } from "../quota/balance.ts";

const namesShownMax = 10;

/**
 * What is used is kept in the status of the quota and written with a compare-and-swap before the object is stored, so two
 * servers cannot both take the last of something. What is deleted, no longer needed after an update, or was charged for and
 * then not stored, is given back by the controller that counts anew.
 */
export function createResourceQuota(context: AdmissionContext): AdmissionPlugin {
  // Writes of one server wait for each other, which is cheaper than losing to each other.
  const lanes = createLanes();
  const kind = context.catalog.of(ResourceQuota);
  const meters = new WeakMap<BoundKind, Meter | undefined>();
  const meterFor = (kind: BoundKind): Meter | undefined => {
    if (!meters.has(kind)) meters.set(kind, meterOf(kind));
    return meters.get(kind);
  };
  return {
    name: "ResourceQuota",
    handles: ({ operation, subresource, namespace, kind }) => {
      if (subresource !== "" || namespace === "") return false;
      return operation === "CREATE" || (operation === "UPDATE" && meterFor(kind)?.onUpdate === true);
    },
    validate(request) {
      const object = request.object;
      if (object === undefined) return;
      const entries = [...context.registry.peekAll(kind, request.namespace)];
      if (entries.length === 0) return;
      const meter = meterFor(request.kind);
      if (meter === undefined) return;
      const quotas = entries.map((entry) => entry.object()).filter((quota) => isAboutObject(quota, meter, object));
      for (const quota of quotas) checkStated(request, quota, meter, object);
      const delta = deltaOf(meter, object, request.old);
      for (const quota of quotas) checkFits(request, quota, delta);
      const charged = quotas.filter((quota) => limitedPart(quota, delta).size > 0);
      if (request.dryRun || charged.length === 0 || isTaken(context, request)) return;
      return lanes.take(request.namespace, () => charge({ context, kind, request, meter, object, delta }, charged));
    },
  };
}

/** A creation that will fail because the name is taken is not charged for. */
function isTaken({ registry }: AdmissionContext, { operation, kind, namespace, object }: AdmissionRequest): boolean {
  if (operation !== "CREATE") return false;
  return registry.peek(kind.family.stored, { namespace, name: object?.metadata.name ?? "" }) !== undefined;
}

/** A quota with scopes is about objects that are in all of them. */
function isAboutObject({ spec }: ResourceQuota, { isInScope }: Meter, object: ApiObject): boolean {
  const plain = (spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: "Exists" }));
  const scopes = [...plain, ...(spec?.scopeSelector?.matchExpressions ?? [])];
  return scopes.every((scope) => isInScope?.(scope, object) ?? false);
}

function checkStated(request: AdmissionRequest, quota: ResourceQuota, meter: Meter, object: ApiObject): void {
  const { name } = quota.metadata;
  const unstated = meter.unstated?.(object, (resource) => isLimited(quota, resource)) ?? [];
  if (unstated.length > 0) throw refuse(request, `quota ${name} asks every container for ${unstated.join(", ")}`);
  const unknown = unknownUse(quota).filter((resource) => meter.counts(resource));
  if (unknown.length === 0) return;
  throw refuse(request, `it is not known yet how much of quota ${name} is used: ${some(unknown)}`);
}

function checkFits(request: AdmissionRequest, quota: ResourceQuota, delta: Amounts): void {
  const problems = excess(quota, delta);
  if (problems.length > 0) throw refuse(request, `exceeded quota ${quota.metadata.name}: ${some(problems)}`);
}

const some = (texts: readonly string[]): string =>
  texts.slice(0, namesShownMax).join("; ") + (texts.length > namesShownMax ? "; …" : "");

/** What is used more than before. */
function deltaOf(meter: Meter, object: ApiObject, old: ApiObject | undefined): Amounts {
  const delta = new Map(meter.usage(object));
  if (old !== undefined) takeFrom(delta, meter.usage(old));
  return new Map([...delta].filter(([, { nano }]) => nano > 0n));
}

interface Charge {
  readonly context: AdmissionContext;
  readonly kind: BoundKind<ResourceQuota>;
  readonly request: AdmissionRequest;
  readonly meter: Meter;
  readonly object: ApiObject;
  readonly delta: Amounts;
}

/** All quotas or none: what was taken from some is given back when another refuses. */
async function charge(job: Charge, quotas: readonly ResourceQuota[]): Promise<void> {
  const taken: ResourceQuota[] = [];
  try {
    for (const quota of quotas) {
      await write(job, quota, "use");
      taken.push(quota);
    }
  } catch (error) {
    for (const quota of taken) await write(job, quota, "give back");
    throw error;
  }
}

/** One compare-and-swap, tried again with the newest state when somebody else was faster. */
async function write(job: Charge, quota: ResourceQuota, way: "use" | "give back"): Promise<void> {
  const { context, kind, request, meter, object, delta } = job;
  const { name = "" } = quota.metadata;
  const change: Change<ResourceQuota> = (current) => {
    const newest = current!; // nothing is created here
    if (way === "use") {
      checkStated(request, newest, meter, object);
      checkFits(request, newest, delta);
    }
    return { ...newest, status: statusAfter(newest, delta, way) };
  };
  const { vocabulary } = context.catalog.environment;
  const writer = serverWrites("a charged quota", vocabulary);
  const ref = { namespace: request.namespace, name };
  try {
    await context.registry.update(kind, ref, change, writer, { subresource: "status", retry: true });
  } catch (error) {
    // A quota that has gone limits nothing any more.
    if (!(error instanceof StatusError) || error.reason !== "NotFound") throw error;
  }
}
