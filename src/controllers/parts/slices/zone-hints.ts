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

/** The zone of each ready endpoint by key. */
function divide(endpoints: ReadonlyMap<string, Endpoint>, shares: ZoneShares): Map<string, string> | NoHints {
  const ready = [...endpoints].filter(([, { conditions }]) => conditions?.ready !== false).sort(byKey);
  if (ready.length < shares.size) return "few endpoints";
  if (ready.some(([, { zone }]) => !zone)) return "no zone";
  const least = new Map([...shares].map(([zone, share]) => [zone, leastOf(share * ready.length)]));
  if ([...least.values()].reduce((sum, count) => sum + count, 0) > ready.length) return "overload";
  const members = new Map<string, string[]>([...shares.keys()].map((zone) => [zone, []]));
  for (const [key, { zone = "" }] of ready) members.set(zone, [...(members.get(zone) ?? []), key]);
  for (const [zone, count] of least) {
    const own = members.get(zone) ?? [];
    while (own.length < count) {
      const moved = members.get(richest(members, least))?.pop();
      if (moved === undefined) return "overload";
      own.push(moved);
    }
  }
  // A zone without nodes that count has no clients: its endpoints serve the zone that has the fewest for its share.
  for (const [zone, keys] of members) {
    if (shares.has(zone)) continue;
    for (const key of keys) members.get(poorest(members, shares))?.push(key);
    members.delete(zone);
  }
  return new Map([...members].flatMap(([zone, keys]) => keys.map((key) => [key, zone] as const)));
}

const leastOf = (expected: number): number => Math.ceil(expected / (1 + overloadMax));

/** The zone that can give most. */
function richest(members: ReadonlyMap<string, readonly string[]>, least: ReadonlyMap<string, number>): string {
  const spare = (zone: string) => (members.get(zone)?.length ?? 0) - (least.get(zone) ?? 0);
  return [...members.keys()].reduce((best, zone) => (spare(zone) > spare(best) ? zone : best));
}

function poorest(members: ReadonlyMap<string, readonly string[]>, shares: ZoneShares): string {
  const load = (zone: string) => (members.get(zone)?.length ?? 0) / (shares.get(zone) ?? 1);
  return [...shares.keys()].reduce((best, zone) => (load(zone) < load(best) ? zone : best));
}

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);
