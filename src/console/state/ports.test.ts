import { expect, test } from "vitest";
import { portsOfPod, portsOfService, runningPod } from "./ports.ts";

const pod = {
  metadata: { name: "a" },
  spec: {
    containers: [
      {
        ports: [
          { name: "http", containerPort: 8080 },
          { containerPort: 53, protocol: "UDP" },
        ],
      },
    ],
  },
  status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
};

test("ports of a pod are those of TCP", () => {
  expect(portsOfPod(pod)).toEqual([{ label: "http, 8080", port: 8080 }]);
});

test.each([
  ["a number", { port: 80, targetPort: 9000 }, {}, [{ label: "80", port: 9000 }]],
  ["a name of the pod", { name: "web", port: 80, targetPort: "http" }, {}, [{ label: "web, 80", port: 8080 }]],
  ["a name that no container has", { port: 80, targetPort: "admin" }, {}, []],
  ["none, so that both are the same", { port: 80 }, {}, [{ label: "80", port: 80 }]],
  [
    "a headless service has only its own",
    { port: 80, targetPort: 9000 },
    { clusterIP: "None" },
    [{ label: "80", port: 80 }],
  ],
])("a service's target is %s", (_why, port, more, expected) => {
  expect(portsOfService({ spec: { ports: [port], ...more } }, pod)).toEqual(expected);
});

test("a ready pod is taken before one that is not, and never one that leaves", () => {
  const unready = { ...pod, metadata: { name: "b" }, status: { phase: "Running" } };
  const leaving = { ...pod, metadata: { name: "c", deletionTimestamp: "2026-01-01T00:00:00Z" } };
  expect(runningPod([leaving, unready, pod])).toBe(pod);
  expect(runningPod([leaving, unready])).toBe(unready);
  expect(runningPod([leaving])).toBeUndefined();
});
