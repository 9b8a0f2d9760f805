/** The objects that quotas count: pods, claims, claims for devices and services by their usage, all others by their number. */

import { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { Service } from "../../api/core/v1/service.ts";
import { type Amounts, oneOf } from "../../api/quota/amounts.ts";
import { createClaimMeter } from "../../api/quota/claim-meter.ts";
import { createDeviceClaimMeter } from "../../api/quota/device-claim-meter.ts";
import { createPodMeter } from "../../api/quota/pod-meter.ts";
import { createServiceMeter } from "../../api/quota/service-meter.ts";
import { ResourceClaim } from "../../api/resource/v1/resource-claim.ts";
import type { Clock } from "../../base/clock.ts";
import { LruMap } from "../../base/lru-map.ts";
import type { AnyObject, ResourceAddress } from "../../client/contract.ts";
import type { Discovery } from "../../client/discovery/discovery.ts";
import type { Informer } from "../../client/informer/contract.ts";
import { sameJson } from "../../machinery/json/json-value.ts";
import { secondsMs } from "../../machinery/values/integer.ts";
import type { ControllerContext } from "../contract.ts";
import { podLikeness } from "./likeness.ts";
import type { Counted, Group } from "./reconcile.ts";

interface QuotaSource extends Omit<Counted, "groups" | "sums"> {
  readonly synced: Promise<void>;
  /** What is there of a namespace now. */
  of(namespace: string): Pick<Counted, "groups" | "sums">;
}

/** How many namespaces have their sums kept, and for how long: a pod can stop counting as time passes, without an event. */
export const summedNamespacesMax = 1_000;
const sumsMs = 1_000;

/** A change of the usage of a namespace. */
interface UsageChange {
  readonly namespace: string;
  readonly source: Pick<Counted, "usage" | "isInScope">;
  /** Undefined: the object is new, and an admission plugin has counted it already. */
  readonly old: AnyObject | undefined;
  /** Undefined: the object is gone. */
  readonly next: AnyObject | undefined;
}

type OnUsage = (change: UsageChange) => void;

interface Sources {
  /**
   * The sources that count one of the names; starts watching those that are not watched yet. Unknown names are ignored.
   */
  of(names: readonly string[]): Promise<readonly QuotaSource[]>;
}

/** Resources that quotas know by their plain name too. */
const plainNames: ReadonlySet<string> = new Set(["configmaps", "resourcequotas", "replicationcontrollers", "secrets"]);

export function createSources(context: ControllerContext, onUsage: OnUsage): Sources {
  const { client, informers, environment, clock } = context;
  const started = new Map<string, QuotaSource>();
  const tools: SourceTools = { onUsage, clock };
  let discovery: Promise<Discovery> | undefined;

  const metered = [
    {
      ...createPodMeter(environment),
      start: () => sourceOf(informers.of(Pod), podSource(environment, clock), tools),
    },
    {
      ...createClaimMeter(environment),
      start: () => sourceOf(informers.of(PersistentVolumeClaim), createClaimMeter(environment), tools),
    },
    {
      ...createServiceMeter(environment),
      start: () => sourceOf(informers.of(Service), createServiceMeter(environment), tools),
    },
    ...(context.has("deviceQuotas")
      ? [
          {
            ...createDeviceClaimMeter(environment),
            start: () => sourceOf(informers.of(ResourceClaim), createDeviceClaimMeter(environment), tools),
          },
        ]
      : []),
  ];

  const addressOf = async (name: string): Promise<ResourceAddress | undefined> => {
    const [resource = "", ...group] = name.split(".");
    const find = async () => {
      discovery ??= client.discover();
      const { preferred } = await discovery;
      return preferred.find(
        (each) => each.resource === resource && each.group === group.join(".") && each.verbs.includes("watch"),
      );
    };
    const known = await find();
    if (known !== undefined) return known;
    // It may have come since.
    discovery = undefined;
    return await find();
  };

  const startedSource = async (name: string): Promise<QuotaSource | undefined> => {
    for (const [at, { counts, start }] of metered.entries()) {
      if (counts(name)) return getOr(started, `metered ${at}`, start);
    }
    const counted = name.startsWith("count/") ? name.slice("count/".length) : plainNames.has(name) ? name : undefined;
    const known = counted === undefined ? undefined : started.get(counted);
    if (counted === undefined || known !== undefined) return known;
    const address = await addressOf(counted);
    if (address === undefined) return undefined;
    return getOr(started, counted, () => numberSource(informers.metadata(address), counted, tools));
  };

  return {
    async of(names) {
      const found = await Promise.all(names.map(startedSource));
      return [...new Set(found.filter((source) => source !== undefined))];
    },
  };
}

interface Metered<T> {
  counts(name: string): boolean;
  usage(object: T): Amounts;
  isInScope?(scope: Parameters<NonNullable<Counted["isInScope"]>>[0], object: T): boolean;
  /** Objects with one likeness use the same and are in the same scopes. Absent: each object is counted by itself. */
  likenessOf?(object: T): string;
}

interface SourceTools {
  readonly onUsage: OnUsage;
  readonly clock: Pick<Clock, "monotonic">;
}

interface KnownSums {
  readonly sums: Map<string, Amounts>;
  readonly sinceMs: number;
}

function sourceOf<T extends AnyObject>(
  informer: Informer<T>,
  meter: Metered<T>,
  { onUsage, clock }: SourceTools,
): QuotaSource {
  const { isInScope } = meter;
  const usage = (object: AnyObject) => meter.usage(object as T); // all that this informer has
  const namespaceOf = ({ metadata }: AnyObject) => metadata.namespace ?? "";
  const counting: Pick<Counted, "usage" | "isInScope"> = {
    usage,
    ...(isInScope ? { isInScope: (scope, object) => isInScope(scope, object as T) } : {}),
  };
  const tell = (old: AnyObject | undefined, next: AnyObject | undefined) =>
    onUsage({ namespace: namespaceOf(next ?? old ?? { metadata: {} }), source: counting, old, next });
  const known = new LruMap<string, KnownSums>(summedNamespacesMax);
  const forget = (object: AnyObject) => known.delete(namespaceOf(object));
  const sumsOf = (namespace: string): Map<string, Amounts> => {
    const nowMs = clock.monotonic();
    const found = known.get(namespace);
    if (found !== undefined && nowMs - found.sinceMs < sumsMs) return found.sums;
    const sums = new Map<string, Amounts>();
    known.set(namespace, { sums, sinceMs: nowMs });
    return sums;
  };
  informer.on({ add: forget, update: forget, delete: forget });
  informer.on({
    add: (object) => tell(undefined, object),
    update(object, old) {
      if (!sameJson([...amountTexts(usage(object))], [...amountTexts(usage(old))])) tell(old, object);
    },
    delete: (object) => tell(object, undefined),
  });
  // Objects that are alike are found by an index, so counting decodes one of each sort and not all of a namespace.
  const { likenessOf = ({ metadata }) => metadata.name ?? "" } = meter;
  const alike = informer.index("quota", (object) => [`${namespaceOf(object)} ${likenessOf(object)}`]);
  // How many there are is read at once, and the objects one by one.
  function* groupsOf(namespace: string): Iterable<Group | undefined> {
    const values = alike.values().filter((value) => value.startsWith(`${namespace} `));
    for (const [value, count] of values.map((value) => [value, alike.count(value)] as const)) {
      const object = alike.first(value);
      yield object && { object, count };
    }
  }
  return {
    ...counting,
    counts: meter.counts,
    synced: informer.synced,
    of: (namespace) => ({ groups: groupsOf(namespace), sums: sumsOf(namespace) }),
  };
}

function* amountTexts(amounts: Amounts): Iterable<string> {
  for (const [name, { text }] of amounts) yield `${name}=${text}`;
}

/** Pods that have ended, or should have, use nothing more; only their objects are still counted. */
function podSource(environment: ControllerContext["environment"], clock: ControllerContext["clock"]): Metered<Pod> {
  const meter = createPodMeter(environment);
  const objectAlone: Amounts = new Map([["count/pods", oneOf]]);
  const hasEnded = ({ status, metadata }: Pod) => {
    if (status?.phase === "Succeeded" || status?.phase === "Failed") return true;
    if (!metadata.deletionTimestamp || metadata.deletionGracePeriodSeconds === undefined) return false;
    return clock.now() > Date.parse(metadata.deletionTimestamp) + secondsMs(metadata.deletionGracePeriodSeconds);
  };
  return {
    counts: meter.counts,
    usage: (pod) => (hasEnded(pod) ? objectAlone : meter.usage(pod)),
    ...(meter.isInScope ? { isInScope: meter.isInScope } : {}),
    likenessOf: podLikeness,
  };
}

function numberSource(informer: Informer<AnyObject>, resource: string, tools: SourceTools): QuotaSource {
  const names = plainNames.has(resource) ? [`count/${resource}`, resource] : [`count/${resource}`];
  const usage: Amounts = new Map(names.map((name) => [name, oneOf]));
  return sourceOf(informer, { counts: (name) => usage.has(name), usage: () => usage, likenessOf: () => "" }, tools);
}

function getOr<V>(map: Map<string, V>, key: string, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
