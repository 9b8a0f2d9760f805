import { describe, expect, test } from "vitest";
import type { Pod } from "../../api/core/v1/pod.ts";
import { amountsOf, multiplied } from "../../api/quota/amounts.ts";
import { podLikeness } from "./likeness.ts";

const container = { name: "c", image: "i", resources: { requests: { cpu: "1" } } };
const podOf = (spec: Partial<NonNullable<Pod["spec"]>> = {}, more: Partial<Pod> = {}): Pod => ({
  metadata: { namespace: "ns", name: "p" },
  spec: { containers: [container], ...spec },
  ...more,
});
const term = { topologyKey: "zone", namespaces: ["other"] };

describe("pods that no quota can tell apart are alike", () => {
  const rows = [
    { why: "names differ", pod: podOf({}, { metadata: { namespace: "ns", name: "q" } }), alike: true },
    {
      why: "images and nodes differ",
      pod: podOf({ nodeName: "n", containers: [{ ...container, image: "j" }] }),
      alike: true,
    },
    { why: "only one of them runs", pod: podOf({}, { status: { phase: "Running" } }), alike: true },
    { why: "not when one has ended", pod: podOf({}, { status: { phase: "Succeeded" } }), alike: false },
    { why: "not when one is deleted", pod: podOf({}, { metadata: { deletionTimestamp: "t" } }), alike: false },
    { why: "not with a deadline", pod: podOf({ activeDeadlineSeconds: 1 }), alike: false },
    { why: "not of another priority class", pod: podOf({ priorityClassName: "high" }), alike: false },
    { why: "not with other requests", pod: podOf({ containers: [{ ...container, resources: {} }] }), alike: false },
    { why: "not with an init container", pod: podOf({ initContainers: [container] }), alike: false },
    {
      why: "not with resources of the pod itself",
      pod: podOf({ resources: { limits: { cpu: "1" } } }),
      alike: false,
    },
    { why: "not with an overhead", pod: podOf({ overhead: { cpu: "1" } }), alike: false },
    {
      why: "not with affinity to pods elsewhere",
      pod: podOf({ affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } }),
      alike: false,
    },
  ];
  for (const { why, pod, alike } of rows)
    test(why, () => expect(podLikeness(pod) === podLikeness(podOf())).toBe(alike));
});

test("an init container that keeps running is not like one that ends", () => {
  const ends = podOf({ initContainers: [container] });
  const keepsRunning = podOf({ initContainers: [{ ...container, restartPolicy: "Always" }] });
  expect(podLikeness(ends)).not.toBe(podLikeness(keepsRunning));
});

test("the usage of equal pods is that of one, times their number", () => {
  const amounts = amountsOf({ cpu: "150m", memory: "1Gi" });
  const texts = (count: number) => [...multiplied(amounts, count)].map(([name, { text }]) => `${name}=${text}`);
  expect(texts(1)).toEqual(["cpu=150m", "memory=1Gi"]);
  expect(texts(7)).toEqual(["cpu=1050m", "memory=7Gi"]);
  expect(texts(2_000)).toEqual(["cpu=300", "memory=2000Gi"]);
  expect(texts(0)).toEqual([]);
});
