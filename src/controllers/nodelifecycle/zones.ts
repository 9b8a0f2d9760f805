/** Zones of nodes: if so many nodes of a zone are not ready that the fault is probably elsewhere, fewer pods are evicted. */

import type { Node } from "../../api/core/v1/node.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import type { Settings } from "../settings.ts";
import { readyOf } from "./health.ts";

type ZoneState = "Normal" | "PartialDisruption" | "FullDisruption";

type ZoneRates = Pick<
  Settings,
  "nodeEvictionRate" | "secondaryNodeEvictionRate" | "largeClusterSizeThreshold" | "unhealthyZoneThreshold"
>;

export interface Zone {
  readonly name: string;
  readonly nodes: readonly Node[];
  readonly state: ZoneState;
  /** How many of its nodes may be tainted a second. */
  readonly rate: number;
}

/** By name; nodes without labels are in one zone. Where all zones are down, all rates are 0. */
export function zonesOf(nodes: readonly Node[], vocabulary: Vocabulary, rates: ZoneRates): ReadonlyMap<string, Zone> {
  const groups = new Map<string, Node[]>();
  for (const node of nodes) {
    const name = zoneNameOf(node, vocabulary);
    const members = groups.get(name);
    if (members === undefined) groups.set(name, [node]);
    else members.push(node);
  }
  const states = new Map([...groups].map(([name, members]) => [name, stateOf(members, rates)]));
  const allDown = [...states.values()].every((state) => state === "FullDisruption");
  return new Map(
    [...groups].map(([name, members]) => {
      const state = states.get(name) ?? "Normal";
      return [name, { name, nodes: members, state, rate: allDown ? 0 : rateOf(state, members.length, rates) }];
    }),
  );
}

export function zoneNameOf({ metadata: { labels = {} } }: Node, vocabulary: Vocabulary): string {
  const label = (...keys: readonly string[]) =>
    keys.map((key) => labels[vocabulary.word(key)] ?? "").find(Boolean) ?? "";
  const region = label("topology.orch.io/region", "failure-domain.beta.orch.io/region");
  const zone = label("topology.orch.io/zone", "failure-domain.beta.orch.io/zone");
  return region === "" && zone === "" ? "" : `${region}:${zone}`;
}

const fewNodes = 2;

function stateOf(nodes: readonly Node[], { unhealthyZoneThreshold }: ZoneRates): ZoneState {
  const ready = nodes.filter((node) => readyOf(node)?.status === "True").length;
  const notReady = nodes.length - ready;
  if (ready === 0 && notReady > 0) return "FullDisruption";
  return notReady > fewNodes && notReady / nodes.length >= unhealthyZoneThreshold ? "PartialDisruption" : "Normal";
}

function rateOf(state: ZoneState, size: number, rates: ZoneRates): number {
  if (state !== "PartialDisruption") return rates.nodeEvictionRate;
  return size > rates.largeClusterSizeThreshold ? rates.secondaryNodeEvictionRate : 0;
}
