/**
 * Zones whose clients should use an endpoint, for services that ask for it in an annotation: each zone gets a share of the
 * endpoints like its share of the CPUs, and endpoints serve their own zone where they can.
 */

import type { Node } from "../../../api/core/v1/node.ts";
import type { Service } from "../../../api/core/v1/service.ts";
import type { Endpoint } from "../../../api/discovery/v1/endpoint.ts";
import type { Informer } from "../../../client/informer/contract.ts";
import { keyOf } from "../../../client/informer/keys.ts";
import { sameValue } from "../../../machinery/schema/same-value.ts";
import { milliValue, parseQuantity } from "../../../machinery/values/quantity.ts";
import type { SliceKeys } from "./keys.ts";

/** How much more than its share an endpoint may get; with more, no endpoint has a hint. */
const overloadMax = 0.2;

/** The share of all CPUs by zone. */
export type ZoneShares = ReadonlyMap<string, number>;

/** Why endpoints get no hints, as an Event says it. */
export type NoHints = "nodes" | "one zone" | "few endpoints" | "no zone" | "overload";

export function wantsZoneHints({ metadata: { annotations } }: Service, keys: SliceKeys): boolean {
  const mode = annotations?.[keys.oldTopologyMode] ?? annotations?.[keys.topologyMode] ?? "";
  return mode === "Auto" || mode === "auto";
}

/** What of a node decides about shares; undefined: it does not count. */
function zoneFacts(node: Node, keys: SliceKeys): { zone: string; milliCpus: number } | undefined {
  const { labels = {} } = node.metadata;
  if (keys.controlPlanes.some((label) => label in labels)) return undefined;
  if (!node.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True")) return undefined;
  const cpus = parseQuantity(node.status.allocatable?.["cpu"] ?? "");
  return { zone: labels[keys.zone] ?? "", milliCpus: cpus === undefined ? 0 : Number(milliValue(cpus)) };
}

interface ZoneHintsOptions {
  readonly services: Informer<Service>;
  readonly nodes: Informer<Node>;
  readonly keys: SliceKeys;
  /** Whether the level has them. */
  readonly isOn: boolean;
}

interface ZoneHints {
  /** A reason: the endpoints of the service get no hints now. Empty: the service does not ask for them. */
  of(service: Service): { readonly shares?: ZoneShares | NoHints };
  /** Calls with the key of each service that asks for hints when the shares may have changed. */
  follow(changed: (key: string) => void): void;
}

export function createZoneHints({ services, nodes, keys, isOn }: ZoneHintsOptions): ZoneHints {
  const wantsHints = (service: Service) => isOn && wantsZoneHints(service, keys);
  return {
    of: (service) => (wantsHints(service) ? { shares: zoneShares(nodes.list(), keys) } : {}),
    follow(changed) {
      const enqueue = () => {
        for (const service of services.list()) if (wantsHints(service)) changed(keyOf(service));
      };
      nodes.on({
        add: enqueue,
        update(node, old) {
          if (!sameValue(zoneFacts(node, keys), zoneFacts(old, keys))) enqueue();
        },
        delete: enqueue,
      });
    },
  };
}

/** No shares: a node does not say where it is or how large it is, or all are in one zone. */
export function zoneShares(nodes: Iterable<Node>, keys: SliceKeys): ZoneShares | NoHints {
  const cpus = new Map<string, number>();
  let total = 0;
  for (const node of nodes) {
    const facts = zoneFacts(node, keys);
    if (facts === undefined) continue;
    if (facts.zone === "" || facts.milliCpus <= 0) return "nodes";
    cpus.set(facts.zone, (cpus.get(facts.zone) ?? 0) + facts.milliCpus);
    total += facts.milliCpus;
  }
  if (cpus.size < 2) return "one zone";
  return new Map([...cpus].sort(([a], [b]) => (a < b ? -1 : 1)).map(([zone, amount]) => [zone, amount / total]));
}

/** The endpoints with their hints, or all without and `why`, if they cannot be divided fairly. */
export function withZoneHints(
  endpoints: ReadonlyMap<string, Endpoint>,
  shares: ZoneShares | NoHints,
): { readonly endpoints: Map<string, Endpoint>; readonly why?: NoHints } {
  const zones = typeof shares === "string" ? shares : divide(endpoints, shares);
  const hinted = new Map(
    [...endpoints].map(([key, { hints: _hints, ...endpoint }]) => {
      const zone = typeof zones === "string" ? undefined : zones.get(key);
      return [key, zone === undefined ? endpoint : { ...endpoint, hints: { forZones: [{ name: zone }] } }] as const;
    }),
  );
  return typeof zones === "string" ? { endpoints: hinted, why: zones } : { endpoints: hinted };
}

/** The zone of each ready endpoint by key: its own, unless another zone needs it more. */
function divide(endpoints: ReadonlyMap<string, Endpoint>, shares: ZoneShares): Map<string, string> | NoHints {
  const ready = [...endpoints].filter(([, { conditions }]) => conditions?.ready !== false).sort(byKey);
  if (ready.length < shares.size) return "few endpoints";
  const least = new Map([...shares].map(([zone, share]) => [zone, leastOf(share * ready.length)]));
  if ([...least.values()].reduce((sum, count) => sum + count, 0) > ready.length) return "overload";
  if (ready.some(([, { zone }]) => !zone)) return "no zone";
  const { giving, receiving } = moves(ready, shares, least);
  const zones = new Map<string, string>();
  for (const [key, { zone = "" }] of ready) {
    const spare = giving.get(zone) ?? 0;
    const receiver = spare > 0 ? [...receiving].find(([, needed]) => needed > 0) : undefined;
    zones.set(key, receiver?.[0] ?? zone);
    if (receiver === undefined) continue;
    giving.set(zone, spare - 1);
    receiving.set(receiver[0], receiver[1] - 1);
  }
  return zones;
}

const leastOf = (expected: number): number => Math.ceil(expected * (1 / (1 + overloadMax)));

interface Moves {
  /** How many endpoints each zone gives away, and how many it gets. */
  readonly giving: Map<string, number>;
  readonly receiving: Map<string, number>;
}

/** A whole endpoint moves where one side has or lacks one, and the other at least half of one. */
function moves(
  ready: readonly (readonly [string, Endpoint])[],
  shares: ZoneShares,
  least: ReadonlyMap<string, number>,
): Moves {
  const [surplus, lack] = [new Map<string, number>(), new Map<string, number>()];
  for (const [zone, share] of shares) {
    const wanted = Math.max(share * ready.length, least.get(zone) ?? 0);
    const own = ready.filter(([, endpoint]) => endpoint.zone === zone).length;
    if (own > wanted) surplus.set(zone, own - wanted);
    else if (own < wanted) lack.set(zone, wanted - own);
  }
  const [giving, receiving] = [new Map<string, number>(), new Map<string, number>()];
  const count = (zones: Map<string, number>, zone: string, by: number) => zones.set(zone, (zones.get(zone) ?? 0) + by);
  for (;;) {
    const [from, spare] = most(surplus);
    const [to, needed] = most(lack);
    if (spare < 0.5 || needed < 0.5 || (spare < 1 && needed < 1)) return { giving, receiving };
    count(giving, from, 1);
    count(surplus, from, -1);
    count(receiving, to, 1);
    count(lack, to, -1);
  }
}

/** The zone with the most, and how much; of several the first. */
const most = (zones: ReadonlyMap<string, number>): readonly [zone: string, amount: number] =>
  [...zones].reduce((best, each) => (each[1] > best[1] ? each : best), ["", 0] as const);

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);
