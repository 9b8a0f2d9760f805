import { describe, expect, test } from "vitest";
import { bindVersions, create } from "../../../life.suite.ts";
import { pod } from "../pod.suite.ts";
import { Pod } from "../pod.ts";
import type { PodSpec } from "./spec.ts";

type Resources = { requests?: Record<string, string>; limits?: Record<string, string> };

const today = bindVersions([Pod], {}, "1.35").version("v1");
const newest = bindVersions([Pod], {}, "1.37").version("v1");

function filled(version: typeof today, resources: Resources, ...containers: Resources[]) {
  const spec = {
    resources,
    containers: containers.map((own, index) => ({ name: `c${index}`, image: "i", resources: own })),
  };
  const { object } = create(version, pod(spec));
  return (object["spec"] as PodSpec).resources;
}

describe("the resources of a whole pod", () => {
  test("request what its containers do together, or else its limits", () => {
    const own = { requests: { cpu: "250m" }, limits: { cpu: "500m" } };
    const limits = { cpu: "2", memory: "1Gi" };
    expect(filled(today, { limits }, own, own)).toEqual({ limits, requests: { cpu: "500m", memory: "1Gi" } });
  });

  test("have the huge pages of its containers as limits, and request what they are limited to", () => {
    const own = { limits: { "hugepages-2Mi": "2Mi" }, requests: { cpu: "1", "hugepages-2Mi": "2Mi" } };
    expect(filled(today, { requests: { cpu: "2" } }, own, own)).toEqual({
      limits: { "hugepages-2Mi": "4Mi" },
      requests: { cpu: "2", "hugepages-2Mi": "4Mi" },
    });
    expect(filled(today, { limits: { cpu: "2", "hugepages-2Mi": "8Mi" } }, own, own)).toEqual({
      limits: { cpu: "2", "hugepages-2Mi": "8Mi" },
      requests: { cpu: "2", "hugepages-2Mi": "8Mi" },
    });
  });

  test("have the limits of its containers from 1.37 on, if all of them have one", () => {
    const own = { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "100m" } };
    const requests = { cpu: "500m" };
    expect(filled(today, { requests }, own, own)).toEqual({ requests });
    expect(filled(newest, { requests }, own, { limits: { cpu: "1" } })).toEqual({ requests, limits: { cpu: "2" } });
    expect(filled(newest, { requests }, own, {})).toEqual({ requests });
  });

  test("stay empty where the pod names none", () => {
    expect(filled(today, {}, { limits: { cpu: "1" } })).toEqual({});
  });
});
