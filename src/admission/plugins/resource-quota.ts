/** Counts the usage of a namespace and refuses writes that would exceed its quotas. */

import { ResourceQuota } from "../../api/core/v1/resource-quota.ts";
import { type Amounts, takeFrom } from "../../api/quota/amounts.ts";
import { type Meter, meterOf } from "../../api/quota/meter.ts";
import { createKeyedMutex } from "../../base/keyed-mutex.ts";
import { beforeLongStep, run, type Steps, TimeSlice } from "../../base/time-slice.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { AdmissionRequest } from "../../registry/contract/admission.ts";
import type { Entry } from "../../registry/contract/entry.ts";
import { serverWrites } from "../../registry/contract/server-writes.ts";
import { type AdmissionContext, refuse } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { plugin } from "../on.ts";
import { type Excess, excess, isLimited, limitedPart, unknownUse } from "../quota/balance.ts";
import { charge, Ledgers } from "../quota/charge.ts";
import { type LimitedResource, limitedUse, readLimitedResources, scopesOf } from "../quota/limited-resources.ts";

const namesShownMax = 10;
/** To compare a write with more quotas may be long beside many other writes. */
const quotasAtOnceMax = 10;
/** Each of them is written before the object is. */
export const quotasChargedMax = 250;

/** A write with its usage. */
interface Use {
  readonly request: AdmissionRequest;
  readonly kind: BoundKind;
  readonly meter: Meter;
  readonly object: ApiObject;
  /** The increase of usage. */
  readonly delta: Amounts;
}

/**
 * Usage is kept in the status of the quota and written with a compare-and-swap before the object is stored, so two servers
 * cannot both take the last of a resource. The controller that recounts credits what was deleted or is no longer needed after
 * an update.
 */
export function createResourceQuota(context: AdmissionContext): AdmissionPlugin {
  const { registry, catalog } = context;
  // Writes of one server wait for each other, which is cheaper than conflicts.
  const mutex = createKeyedMutex();
  const underWay = createNamesUnderWay();
  const ledgers = new Ledgers();
  const kind = catalog.of(ResourceQuota);
  const limited = readLimitedResources(context);
  const writer = serverWrites("a charged quota", catalog.environment.vocabulary);
  const meters = new WeakMap<BoundKind, Meter | undefined>();
  const meterFor = (kind: BoundKind): Meter | undefined => {
    let meter = meters.get(kind);
    if (meter === undefined && !meters.has(kind)) {
      meter = meterOf(kind);
      meters.set(kind, meter);
    }
    return meter;
  };
  const take = async (use: Use, quotas: readonly ResourceQuota[]): Promise<void> => {
    const { request, delta } = use;
    const { transaction } = request;
    // Writes of a transaction end together: two of them that wait for names of each other would wait for ever.
    const isAlone = transaction === undefined;
    const release = isAlone ? await underWay.enter(nameOf(request), () => isTaken(context, request)) : () => {};
    if (release === undefined) return;
    const check = (newest: ResourceQuota) => {
      checkStated(use, newest);
      checkFits(use, newest);
    };
    try {
      const giveBack = await mutex.run(request.namespace, () =>
        charge({ registry, kind, writer, delta, ledger: ledgers.of(transaction) }, quotas, check),
      );
      request.onOutcome(async (outcome) => {
        release();
        if (outcome === "failed") await mutex.run(request.namespace, giveBack);
      });
    } catch (error) {
      release();
      throw error;
    }
  };
  return plugin("ResourceQuota", [
    {
      matches: ({ operation, subresource, kind }) => {
        if (!kind.namespaced) return false;
        if (subresource !== "") return operation === "UPDATE" && meterFor(kind)?.onUpdateThrough === subresource;
        return operation === "CREATE" || (operation === "UPDATE" && meterFor(kind)?.onUpdate === true);
      },
      validate(request) {
        const { object } = request;
        if (object === undefined) return;
        // Another server may already know a quota, or the limits in its status, that this one does not know yet.
        const waiting = meterFor(request.kind) === undefined ? undefined : registry.catchUp();
        return waiting === undefined ? check(request, object) : waiting.then(() => check(request, object));
      },
    },
  ]);

  function check(request: AdmissionRequest, object: ApiObject): void | Promise<void> {
    const { length } = registry.peekAll(kind, request.namespace);
    if (length === 0 && limited.length === 0) return;
    const meter = meterFor(request.kind);
    if (meter === undefined) return;
    const turn = length > quotasAtOnceMax ? beforeLongStep() : undefined;
    return turn === undefined ? checkNow(request, object, meter) : turn.then(() => checkNow(request, object, meter));
  }

  function checkNow(request: AdmissionRequest, object: ApiObject, meter: Meter): void | Promise<void> {
    const use = { request, kind: request.kind, meter, object, delta: deltaOf(meter, object, request.old) };
    const go = (charged: readonly ResourceQuota[]) =>
      request.dryRun || charged.length === 0 ? undefined : take(use, charged);
    const charged = run(chargedBy(use, limited, registry.peekAll(kind, request.namespace)), new TimeSlice());
    return charged instanceof Promise ? charged.then(go) : go(charged);
  }
}

function nameOf({ kind, namespace, object }: AdmissionRequest): string {
  const { group, resource } = kind.family.stored;
  return `${resource}.${group} ${namespace}/${object?.metadata.name ?? ""}`;
}

/** A create that will fail because the name is taken is not charged. */
function isTaken({ registry }: AdmissionContext, { operation, kind, namespace, object }: AdmissionRequest): boolean {
  if (operation !== "CREATE") return false;
  return registry.peek(kind.family.stored, { namespace, name: object?.metadata.name ?? "" }) !== undefined;
}

interface NamesUnderWay {
  /** Waits until no other write of the name is in progress. Undefined: `isTaken` said so; otherwise how to leave. */
  enter(name: string, isTaken: () => boolean): Promise<(() => void) | undefined>;
}

/** Only one of several concurrent creates of one name can succeed, so only one at a time is charged. */
function createNamesUnderWay(): NamesUnderWay {
  const ends = new Map<string, Promise<void>>();
  return {
    async enter(name, isTaken) {
      for (let end = ends.get(name); end !== undefined; end = ends.get(name)) await end;
      if (isTaken()) return undefined;
      let leave = () => {};
      const end = new Promise<void>((resolve) => {
        leave = () => {
          ends.delete(name);
          resolve();
        };
      });
      ends.set(name, end);
      return leave;
    },
  };
}

/** The quotas that the write takes from, in steps: a namespace may have thousands. */
function* chargedBy(
  use: Use,
  limited: readonly LimitedResource[],
  entries: readonly Entry<ResourceQuota>[],
): Steps<ResourceQuota[]> {
  const quotas: ResourceQuota[] = [];
  const concerned: ResourceQuota[] = [];
  for (const entry of entries) {
    const quota = yield* entry.load();
    quotas.push(quota);
    if (isAboutObject(quota, use)) concerned.push(quota);
    yield;
  }
  for (const quota of concerned) {
    checkStated(use, quota);
    yield;
  }
  if (use.delta.size > 0) checkCovered(use, limited, { quotas, concerned });
  const charged: ResourceQuota[] = [];
  for (const quota of concerned) {
    checkFits(use, quota);
    yield;
    if (limitedPart(quota, use.delta).size > 0) charged.push(quota);
  }
  if (charged.length > quotasChargedMax) {
    const { request } = use;
    throw refuse(
      request,
      `${charged.length} quotas of namespace ${request.namespace} limit what it uses, and at most ${quotasChargedMax} may`,
    );
  }
  return charged;
}

const scopesIn = ({ spec }: ResourceQuota) => [
  ...(spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: "Exists" })),
  ...(spec?.scopeSelector?.matchExpressions ?? []),
];

/** A quota with scopes applies to objects that are in all of them. */
function isAboutObject(quota: ResourceQuota, { meter, object }: Use): boolean {
  const scopes = scopesIn(quota);
  return scopesOf(scopes, meter, object).length === scopes.length;
}

function checkStated({ request, meter, object }: Use, quota: ResourceQuota): void {
  const { name } = quota.metadata;
  const unstated = meter.unstated?.(object, (resource) => isLimited(quota, resource)) ?? [];
  if (unstated.length > 0) throw refuse(request, `failed quota: ${name}: must specify ${unstated.join(",")}`);
  const unknown = unknownUse(quota).filter((resource) => meter.counts(resource));
  if (unknown.length === 0) return;
  throw refuse(request, `status unknown for quota ${name}: ${some(unknown)}`);
}

/** What the operator limits must be covered: a name by a quota that limits it, a scope by a quota that has it. */
function checkCovered(
  use: Use,
  limited: readonly LimitedResource[],
  { quotas, concerned }: { readonly quotas: readonly ResourceQuota[]; readonly concerned: readonly ResourceQuota[] },
): void {
  if (limited.length === 0) return;
  const { request, meter, object } = use;
  const { names, scopes } = limitedUse(limited, use);
  const open = names.filter((name) => !concerned.some((quota) => isLimited(quota, name)));
  if (open.length > 0) throw refuse(request, `insufficient quota to consume: ${some(open)}`);
  const covered = new Set(
    quotas.flatMap((quota) => scopesOf(scopesIn(quota), meter, object)).map(({ scopeName }) => scopeName),
  );
  const outside = scopes.map(({ scopeName }) => scopeName).filter((scope) => !covered.has(scope));
  if (outside.length > 0) throw refuse(request, `insufficient quota to match these scopes: ${some(outside)}`);
}

function checkFits({ request, delta }: Use, quota: ResourceQuota): void {
  const over = excess(quota, delta);
  if (over.length === 0) return;
  const told = over.slice(0, namesShownMax);
  const list = (amount: (one: Excess) => string) => told.map((one) => `${one.name}=${amount(one)}`).join(",");
  const requested = `requested: ${list((one) => one.requested)}`;
  const used = `used: ${list((one) => one.used)}`;
  throw refuse(
    request,
    `exceeded quota: ${quota.metadata.name}, ${requested}, ${used}, limited: ${list((one) => one.limited)}`,
  );
}

const some = (texts: readonly string[]): string =>
  texts.slice(0, namesShownMax).join("; ") + (texts.length > namesShownMax ? "; …" : "");

function deltaOf(meter: Meter, object: ApiObject, old: ApiObject | undefined): Amounts {
  const delta = new Map(meter.usage(object));
  if (old !== undefined) takeFrom(delta, meter.usage(old));
  return new Map([...delta].filter(([, { nano }]) => nano > 0n));
}
