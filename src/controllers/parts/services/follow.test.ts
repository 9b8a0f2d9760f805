import { expect, test } from "vitest";
import type { Pod } from "../../../api/core/v1/pod.ts";
import type { Service } from "../../../api/core/v1/service.ts";
import { countingInformer } from "../pods/informer.suite.ts";
import { podOf } from "../pods/pod.suite.ts";
import { createPodSelection, followServices } from "./follow.ts";

const labels = { app: "x" };
const serviceOf = (name: string, selector: Record<string, string>): Service => ({
  metadata: { name, namespace: "ns", uid: name },
  spec: { selector },
});

test("the selection of a service decodes neither pods that have ended nor those of others", () => {
  const { informer, put, decodedBy } = countingInformer<Pod>("pods", "Pod");
  const [running, all] = [createPodSelection(informer, false), createPodSelection(informer, true)];
  const service = serviceOf("web", labels);
  for (let at = 0; at < 400; at++) put(podOf({ name: `ended${at}`, labels, phase: "Failed" }));
  for (let at = 0; at < 5; at++) put(podOf({ name: `runs${at}`, labels }));
  for (let at = 0; at < 50; at++) put(podOf({ name: `other${at}`, labels: { app: "y" } }));
  expect(decodedBy(() => expect(running(service)).toHaveLength(5))).toBe(5);
  expect(decodedBy(() => expect(all(service)).toHaveLength(405))).toBe(405);
});

test("a change of a pod tells the services that select it, and decodes none", () => {
  const [services, pods] = [countingInformer<Service>("services", "Service"), countingInformer<Pod>("pods", "Pod")];
  const told: string[] = [];
  followServices({
    services: services.informer,
    pods: pods.informer,
    changed: (key, isPod) => void (isPod && told.push(key)),
  });
  services.put(serviceOf("web", labels));
  services.put(serviceOf("none", {}));
  for (let at = 0; at < 100; at++) services.put(serviceOf(`other${at}`, { app: `y${at}` }));
  const put = (parts: Parameters<typeof podOf>[0]) =>
    services.decodedBy(() => pods.put(podOf({ name: "p", ...parts })));
  expect([put({ labels }), told.splice(0)]).toEqual([0, ["ns/web"]]);
  expect([put({ labels: { app: "y7" } }), told.splice(0)]).toEqual([0, ["ns/web", "ns/other7"]]);
  services.put(serviceOf("web", { app: "y7" }));
  services.remove(serviceOf("other7", {}));
  expect([put({ labels: { app: "y7" }, ip: "10.1.0.1" }), told.splice(0)]).toEqual([0, ["ns/web"]]);
});
