import { expect, test } from "vitest";
import type { Pod } from "../api/core/v1/pod.ts";
import { stopEvent, unhealthyEvent } from "./life/container-events.ts";
import { ordinaryEventsBurst, ordinaryEventsPerSecond, PodEvents } from "./pod-events.ts";

const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", namespace: "ns", uid: "u" },
  spec: { containers: [{ name: "c" }], initContainers: [{ name: "i" }] },
} as Pod; // the defaults of a server do not matter here

test("Events about a pod name its containers", () => {
  const paths = new PodEvents({ now: () => 0 })
    .of(pod, [stopEvent("c"), stopEvent("i")])
    .map(({ about }) => about && "fieldPath" in about && about.fieldPath);
  expect(paths).toEqual(["spec.containers{c}", "spec.initContainers{i}"]);
});

test("Events about the ordinary life of containers are limited, and warnings are not", () => {
  let now = 0;
  const events = new PodEvents({ now: () => now });
  const asked = ordinaryEventsBurst * 2;
  const written = (event: ReturnType<typeof stopEvent>) =>
    events.of(
      pod,
      Array.from({ length: asked }, () => event),
    );
  expect(written(stopEvent("c"))).toHaveLength(ordinaryEventsBurst);
  now += 1_000;
  expect(written(stopEvent("c"))).toHaveLength(ordinaryEventsPerSecond);
  expect(written(unhealthyEvent("c", "Liveness", undefined))).toHaveLength(asked);
  now += 3_600_000;
  expect(written(stopEvent("c"))).toHaveLength(ordinaryEventsBurst);
});
