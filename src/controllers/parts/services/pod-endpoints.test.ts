import { expect, test } from "vitest";
import type { Pod } from "../../../api/core/v1/pod.ts";
import { createPodPorts } from "./pod-endpoints.ts";

type Containers = NonNullable<Pod["spec"]>["containers"];
const podOf = (...containers: Partial<Containers[number]>[]): Pod => ({
  metadata: { name: "p" },
  spec: { containers: containers.map((container, at) => ({ name: `c${at}`, image: "i", ...container })) },
});
const show = ({ name }: { readonly name?: string }, number: number) => `${name} ${number}`;

test("ports are those of the service, or those of the pod that have the name", () => {
  const portsOf = createPodPorts(
    [
      { name: "plain", port: 80 },
      { name: "number", port: 81, targetPort: 8081 },
      { name: "named", port: 82, targetPort: "web" },
      { name: "other", port: 83, targetPort: "web", protocol: "UDP" },
      { name: "missing", port: 84, targetPort: "none" },
    ],
    show,
  );
  const web = { name: "web", containerPort: 1 };
  const second = {
    ports: [
      { name: "web", containerPort: 2 },
      { ...web, containerPort: 3, protocol: "UDP" as const },
    ],
  };
  expect(portsOf(podOf({ ports: [web] }, second))).toEqual(["plain 80", "number 8081", "named 1", "other 3"]);
  expect(portsOf(podOf({}))).toEqual(["plain 80", "number 8081"]);
});

test("pods with the same numbers share one list", () => {
  const portsOf = createPodPorts([{ name: "named", port: 82, targetPort: "web" }], show);
  const pod = (containerPort: number) => podOf({ ports: [{ name: "web", containerPort }] });
  expect(portsOf(pod(1))).toBe(portsOf(pod(1)));
  expect(portsOf(pod(2))).not.toBe(portsOf(pod(1)));
  const fixed = createPodPorts([{ name: "number", port: 80 }], show);
  expect(fixed(pod(1))).toBe(fixed(pod(2)));
});
