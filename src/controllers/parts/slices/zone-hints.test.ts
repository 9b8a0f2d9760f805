import { describe, expect, test } from "vitest";
import type { Node } from "../../../api/core/v1/node.ts";
import type { Endpoint } from "../../../api/discovery/v1/endpoint.ts";
import { orch } from "../../../vocabulary/orch.ts";
import { sliceKeys } from "./keys.ts";
import { wantsZoneHints, withZoneHints, zoneShares } from "./zone-hints.ts";

const keys = sliceKeys(orch);

interface NodeFacts {
  readonly zone?: string;
  readonly cpu?: string;
  readonly ready?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
}

const node = ({ zone, cpu = "4", ready = true, labels = {} }: NodeFacts): Node => ({
  metadata: { labels: { ...labels, ...(zone === undefined ? {} : { [keys.zone]: zone }) } },
  status: { allocatable: { cpu }, conditions: [{ type: "Ready", status: ready ? "True" : "False" }] },
});

describe("zones share the endpoints like their CPUs", () => {
  const [a, b] = [{ zone: "a" }, { zone: "b" }];
  const rows: { why: string; nodes: NodeFacts[]; shares: Record<string, number> | string }[] = [
    { why: "by allocatable CPUs", nodes: [a, a, { zone: "b", cpu: "8000m" }], shares: { a: 0.5, b: 0.5 } },
    { why: "of nodes that are ready", nodes: [a, { ...a, ready: false }, b], shares: { a: 0.5, b: 0.5 } },
    {
      why: "of nodes that run more than the control plane",
      nodes: [a, b, { labels: { "node-role.orch.io/control-plane": "" } }],
      shares: { a: 0.5, b: 0.5 },
    },
    { why: "not in a single zone", nodes: [a, a], shares: "one zone" },
    { why: "not if a node has no zone", nodes: [a, b, {}], shares: "nodes" },
    { why: "not if a node has no CPUs", nodes: [a, { zone: "b", cpu: "0" }], shares: "nodes" },
  ];
  for (const { why, nodes, shares } of rows)
    test(why, () => {
      const found = zoneShares(nodes.map(node), keys);
      expect(typeof found === "string" ? found : Object.fromEntries(found)).toEqual(shares);
    });
});

describe("endpoints are divided", () => {
  /** "aab": two ready endpoints in zone a and one in b. Capital letters are not ready. */
  const endpoints = (zones: string): Map<string, Endpoint> =>
    new Map(
      [...zones].map((zone, index) => [
        String(index).padStart(2, "0"),
        { addresses: [], conditions: { ready: zone === zone.toLowerCase() }, zone: zone.toLowerCase().trim() },
      ]),
    );
  const hinted = (zones: string, shares: Record<string, number>) =>
    [...withZoneHints(endpoints(zones), new Map(Object.entries(shares))).endpoints.values()]
      .map(({ hints }) => hints?.forZones?.[0]?.name ?? "-")
      .join("");
  const halves = { a: 0.5, b: 0.5 };
  const rows = [
    { why: "each for its own zone", zones: "ab", shares: halves, hints: "ab" },
    { why: "two move where a zone has none", zones: "aaaa", shares: halves, hints: "bbaa" },
    { why: "as many move as the shares say", zones: "aaaaaaaabbbb", shares: halves, hints: "bbaaaaaabbbb" },
    {
      why: "several zones give and get",
      zones: "aaaaaabbbbbb",
      shares: { a: 0.25, b: 0.25, c: 0.25, d: 0.25 },
      hints: "cccaaadddbbb",
    },
    { why: "a small imbalance stays", zones: "aaaaaabbbbb", shares: halves, hints: "aaaaaabbbbb" },
    { why: "shares differ", zones: "aaabbb", shares: { a: 0.75, b: 0.25 }, hints: "aaaabb" },
    { why: "those of a zone without nodes stay", zones: "abcc", shares: halves, hints: "abcc" },
    { why: "endpoints that are not ready have none", zones: "abA", shares: halves, hints: "ab-" },
    { why: "none if there are fewer than zones", zones: "a", shares: halves, hints: "-" },
    { why: "none if one has no zone", zones: "ab ", shares: halves, hints: "---" },
    { why: "none if one would carry too much", zones: "abab", shares: { a: 0.7, b: 0.15, c: 0.15 }, hints: "----" },
  ];
  for (const { why, zones, shares, hints } of rows) test(why, () => expect(hinted(zones, shares)).toBe(hints));

  test("in whichever order they come", () => {
    const all = endpoints("aaab");
    const backwards = new Map([...all].reverse());
    const shares = new Map(Object.entries(halves));
    const sorted = (from: Map<string, Endpoint>) =>
      [...withZoneHints(from, shares).endpoints].sort(([x], [y]) => (x < y ? -1 : 1));
    expect(sorted(backwards)).toEqual(sorted(all));
  });
});

describe("the annotation of a service asks for hints", () => {
  const rows = [
    { annotations: { "service.orch.io/topology-mode": "Auto" }, wants: true },
    { annotations: { "service.orch.io/topology-aware-hints": "auto" }, wants: true },
    { annotations: { "service.orch.io/topology-mode": "Disabled" }, wants: false },
    { annotations: {}, wants: false },
  ];
  for (const { annotations, wants } of rows)
    test(JSON.stringify(annotations), () => expect(wantsZoneHints({ metadata: { annotations } }, keys)).toBe(wants));
});
