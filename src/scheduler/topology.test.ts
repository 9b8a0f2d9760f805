/** The numbers of places stay those of the labels, whichever nodes come and go and however many labels are asked about. */

import { expect, test } from "vitest";
import { Cluster } from "./cluster.ts";
import { PlaceNumbers, topologiesMax } from "./topology.ts";

function clusterOf(count: number, labels: (at: number) => Record<string, string>): Cluster {
  const cluster = new Cluster();
  for (let at = 0; at < count; at++) cluster.setNode({ metadata: { name: `n${at}`, labels: labels(at) }, spec: {} });
  return cluster;
}

const numberIn = (cluster: Cluster, key: string, name: string) => cluster.topology(key).placeOf(cluster.node(name)!);

test("nodes with the same label are at one place, and those without it at none", () => {
  const cluster = clusterOf(300, (at) => (at === 299 ? {} : { zone: `z${at % 3}` }));
  expect(numberIn(cluster, "zone", "n0")).toBe(numberIn(cluster, "zone", "n297"));
  expect(numberIn(cluster, "zone", "n0")).not.toBe(numberIn(cluster, "zone", "n1"));
  expect(numberIn(cluster, "zone", "n299")).toBe(-1);
});

test("a node that is labelled anew, and one that comes for another, are where they are now", () => {
  const cluster = clusterOf(3, (at) => ({ zone: `z${at}` }));
  for (const name of ["n0", "n1", "n2"]) numberIn(cluster, "zone", name);
  cluster.setNode({ metadata: { name: "n0", labels: { zone: "z1" } }, spec: {} });
  expect(numberIn(cluster, "zone", "n0")).toBe(numberIn(cluster, "zone", "n1"));
  cluster.removeNode("n1");
  cluster.setNode({ metadata: { name: "other", labels: { zone: "z2" } }, spec: {} });
  expect(numberIn(cluster, "zone", "other")).toBe(numberIn(cluster, "zone", "n2"));
});

test("who counts goes on with the same numbers when the cluster is asked about more labels than it keeps", () => {
  const cluster = clusterOf(2, (at) => ({ zone: `z${at}` }));
  const counts = new PlaceNumbers(cluster.topology("zone"));
  counts.add(counts.topology.placeOf(cluster.node("n1")!), 5);
  for (let at = 0; at < topologiesMax; at++) cluster.topology(`key-${at}`);
  expect(cluster.topology("zone")).not.toBe(counts.topology);
  cluster.removeNode("n0");
  cluster.setNode({ metadata: { name: "n2", labels: { zone: "z1" } }, spec: {} });
  expect([counts.at(cluster.node("n2")!), counts.at(cluster.node("n1")!)]).toEqual([5, 5]);
});

test("places of nodes that have gone are not kept for ever", () => {
  const cluster = new Cluster();
  for (let at = 0; at < 5_000; at++) {
    cluster.setNode({ metadata: { name: "n", labels: { host: `h${at}` } }, spec: {} });
    numberIn(cluster, "host", "n");
  }
  expect(cluster.topology("host").size).toBeLessThan(1_500);
});
