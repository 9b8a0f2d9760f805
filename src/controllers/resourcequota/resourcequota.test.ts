import { describe, expect, test } from "vitest";
import { Deployment } from "../../api/apps/v1/deployment.ts";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { ResourceQuota } from "../../api/core/v1/resource-quota.ts";
import { oneOf } from "../../api/quota/amounts.ts";
import { withControllers } from "../scenario.suite.ts";
import { type Counted, nextStatus } from "./reconcile.ts";
import { resourceQuotaController } from "./wire.ts";

const things = (count: number, isInScope?: Counted["isInScope"]): Counted => ({
  counts: (name) => name === "things",
  usage: () => new Map([["things", oneOf]]),
  objects: Array.from({ length: count }, () => ({ metadata: {} })),
  ...(isInScope ? { isInScope } : {}),
});
const quota = (more: Partial<ResourceQuota> = {}): ResourceQuota => ({
  metadata: { namespace: "default", name: "q" },
  spec: { hard: { things: "5" } },
  ...more,
});

describe("the status of a quota", () => {
  test("has the limits and what is used of them", () => {
    expect(nextStatus(quota(), [things(2)])).toEqual({ hard: { things: "5" }, used: { things: "2" } });
  });
  test("is left alone where it is right, however amounts are written", () => {
    const status = { hard: { things: "5000m" }, used: { things: "2" } };
    expect(nextStatus(quota({ status }), [things(2)])).toBeUndefined();
  });
  test("drops limits that are gone", () => {
    const status = { hard: { things: "5", more: "1" }, used: { things: "2", more: "1" } };
    expect(nextStatus(quota({ status }), [things(2)])).toEqual({ hard: { things: "5" }, used: { things: "2" } });
  });
  test("counts objects in all of its scopes only", () => {
    const scoped = quota({ spec: { hard: { things: "5" }, scopes: ["BestEffort"] } });
    expect(nextStatus(scoped, [things(2)])?.used).toEqual({ things: "0" });
    expect(nextStatus(scoped, [things(2, ({ scopeName }) => scopeName === "BestEffort")])?.used).toEqual({
      things: "2",
    });
  });
});

test("pods, objects of other kinds and their number are counted, and given back when they go or end", () =>
  withControllers([resourceQuotaController], async ({ client, create, until }) => {
    const ref = { namespace: "default", name: "q" };
    const hard = { pods: "5", "count/pods": "5", "requests.cpu": "2", configmaps: "9", "count/deployments.apps": "3" };
    const pod = (name: string): Pod => ({
      metadata: { namespace: "default", name },
      spec: { containers: [{ name: "c", image: "i", resources: { requests: { cpu: "100m" } } }] },
    });
    await create(Pod, pod("a"));
    await create(Pod, pod("b"));
    await create(ConfigMap, { metadata: { namespace: "default", name: "m" } });
    await create(ResourceQuota, { metadata: ref, spec: { hard } });
    const used = {
      pods: "2",
      "count/pods": "2",
      "requests.cpu": "200m",
      configmaps: "1",
      "count/deployments.apps": "0",
    };
    const { status } = await until(ResourceQuota, ref, ({ status }) => status?.used !== undefined);
    expect(status).toEqual({ hard, used });
    await client
      .of(Pod)
      .patch({ namespace: "default", name: "a" }, { status: { phase: "Succeeded" } }, { subresource: "status" });
    await client.of(ConfigMap).delete({ namespace: "default", name: "m" });
    await until(
      ResourceQuota,
      ref,
      ({ status }) => status?.used?.["pods"] === "1" && status.used["configmaps"] === "0",
    );
    await client.of(Deployment).create({
      metadata: { namespace: "default", name: "d" },
      spec: {
        selector: { matchLabels: { a: "b" } },
        template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
      },
    });
    await until(ResourceQuota, ref, ({ status }) => status?.used?.["count/deployments.apps"] === "1");
  }));
