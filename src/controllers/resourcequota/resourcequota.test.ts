import { describe, expect, test } from "vitest";
import { Deployment } from "../../api/apps/v1/deployment.ts";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { ResourceQuota } from "../../api/core/v1/resource-quota.ts";
import { oneOf } from "../../api/quota/amounts.ts";
import { finish } from "../../base/time-slice.ts";
import { quantityOf } from "../../machinery/values/quantity.ts";
import { withControllers } from "../scenario.suite.ts";
import { type Counted, freedBy, nextStatus as nextStatusInSteps } from "./reconcile.ts";
import { resourceQuotaController } from "./wire.ts";

const things = (count: number, isInScope?: Counted["isInScope"]): Counted => ({
  counts: (name) => name === "things",
  usage: () => new Map([["things", oneOf]]),
  groups: [{ object: { metadata: {} }, count }],
  ...(isInScope ? { isInScope } : {}),
});
const quota = (more: Partial<ResourceQuota> = {}): ResourceQuota => ({
  metadata: { namespace: "default", name: "q" },
  spec: { hard: { things: "5" } },
  ...more,
});

const nextStatus = (...given: Parameters<typeof nextStatusInSteps>) => finish(nextStatusInSteps(...given));

const stable = { freed: new Map(), isStable: true };

describe("the status of a quota", () => {
  test("has the limits and their usage", () => {
    expect(nextStatus(quota(), [things(2)], stable)).toEqual({ hard: { things: "5" }, used: { things: "2" } });
  });
  test("is not written if nothing changes, however amounts are written", () => {
    const status = { hard: { things: "5000m" }, used: { things: "2" } };
    expect(nextStatus(quota({ status }), [things(2)], stable)).toBeUndefined();
  });
  test("drops limits that are gone", () => {
    const status = { hard: { things: "5", more: "1" }, used: { things: "2", more: "1" } };
    expect(nextStatus(quota({ status }), [things(2)], stable)).toEqual({
      hard: { things: "5" },
      used: { things: "2" },
    });
  });
  test("counts objects in all of its scopes only", () => {
    const scoped = quota({ spec: { hard: { things: "5" }, scopes: ["BestEffort"] } });
    expect(nextStatus(scoped, [things(2)], stable)?.used).toEqual({ things: "0" });
    expect(nextStatus(scoped, [things(2, ({ scopeName }) => scopeName === "BestEffort")], stable)?.used).toEqual({
      things: "2",
    });
  });
});

describe("is not lowered while creates may be in progress", () => {
  const status = { hard: { things: "5" }, used: { things: "3" } };
  const cases = [
    { why: "charges for objects that are not stored yet stay", count: 2, freed: 0, used: undefined },
    { why: "usage of deleted objects is released, and no more", count: 1, freed: 1, used: "2" },
    { why: "stored objects count, however much was released", count: 3, freed: 2, used: undefined },
    { why: "usage that was never charged is added", count: 4, freed: 0, used: "4" },
  ];
  for (const { why, count, freed, used } of cases) {
    test(why, () => {
      const amounts = new Map([["things", quantityOf(String(freed))]]);
      const next = nextStatus(quota({ status }), [things(count)], { freed: amounts, isStable: false });
      expect(next?.used?.["things"]).toBe(used);
    });
  }

  test("is recounted when limits change", () => {
    const changed = quota({ spec: { hard: { things: "6" } }, status });
    const next = nextStatus(changed, [things(1)], { freed: new Map(), isStable: false });
    expect(next).toEqual({ hard: { things: "6" }, used: { things: "1" } });
  });

  test("an object frees its usage in a quota whose scopes it matched", () => {
    const best = ({ scopeName }: { scopeName: string }, { metadata }: { metadata: { name?: string } }) =>
      scopeName === "BestEffort" && metadata.name === "best";
    const scoped = quota({ spec: { hard: { things: "5" }, scopes: ["BestEffort"] } });
    const [inside, outside] = [{ metadata: { name: "best" } }, { metadata: { name: "other" } }];
    const freed = (old: typeof inside, next?: typeof inside) =>
      freedBy(things(0, best), old, next)(scoped).get("things")?.text;
    expect([freed(inside), freed(inside, outside), freed(inside, inside), freed(outside)]).toEqual([
      "1",
      "1",
      undefined,
      undefined,
    ]);
  });
});

test("what an object frees is computed once for a thousand quotas", () => {
  const [asked, looked]: [unknown[], unknown[]] = [[], []];
  const source = {
    usage: (object: unknown) => new Map([["things", asked.push(object) > 0 ? oneOf : oneOf]]),
    isInScope: (_: unknown, object: unknown) => looked.push(object) > 0,
  };
  const freed = freedBy(source, { metadata: { name: "old" } }, { metadata: { name: "next" } });
  const scoped = quota({ spec: { hard: { things: "5" }, scopes: ["BestEffort"] } });
  for (let i = 0; i < 1_000; i++) expect([...freed(scoped)]).toEqual([]);
  expect([asked.length, looked.length]).toEqual([2, 2]);
});

test("objects are counted one by one, with others served in between, and change meanwhile", () => {
  const groups = Array.from({ length: 50 }, () => ({ object: { metadata: {} }, count: 1 }));
  const steps = [...nextStatusInSteps(quota(), [{ ...things(0), groups }], stable)];
  expect(steps).toHaveLength(50);

  const status = { hard: { things: "5" }, used: { things: "3" } };
  const torn = [{ ...things(0), groups: [undefined] }];
  expect(nextStatus(quota({ status }), torn, stable)).toBeUndefined();
  const changed = quota({ spec: { hard: { things: "6" } }, status });
  expect(nextStatus(changed, torn, stable)?.used).toEqual({ things: "3" });
});

test("quotas with the same scopes add up the objects of their namespace once", () => {
  let read = 0;
  const sums = new Map();
  const one = (): Counted => ({
    ...things(0),
    isInScope: () => true,
    sums,
    groups: (function* () {
      for (; read < 50; read++) yield { object: { metadata: {} }, count: 1 };
    })(),
  });
  for (let at = 0; at < 3; at++) expect(nextStatus(quota(), [one()], stable)?.used).toEqual({ things: "50" });
  const scoped = quota({ spec: { hard: { things: "5" }, scopes: ["BestEffort"] } });
  expect(nextStatus(scoped, [one()], stable)?.used).toEqual({ things: "0" });

  const torn = { ...things(0), groups: [undefined], sums: new Map() };
  nextStatus(quota(), [torn], stable);
  expect(torn.sums.size).toBe(0);
});

test("pods and objects of other kinds are counted, and credited when they are deleted or end", () =>
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
