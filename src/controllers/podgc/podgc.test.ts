import { describe, expect, test } from "vitest";
import { Node } from "../../api/core/v1/node.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { createManualClock } from "../../base/clock.ts";
import { podOf } from "../parts/pods/pod.suite.ts";
import { withControllers } from "../scenario.suite.ts";
import { createMissingNodes, isUnscheduledDeleting, quarantineMs, surplusPods } from "./reconcile.ts";
import { podGcController } from "./wire.ts";

const names = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata.name);

describe("which pods are garbage", () => {
  const pods = [
    podOf({ name: "running" }),
    podOf({ name: "new", phase: "Succeeded", created: "2021-05-03T00:00:00Z" }),
    podOf({ name: "old", phase: "Failed", created: "2021-05-01T00:00:00Z" }),
    podOf({ name: "mid", phase: "Succeeded", created: "2021-05-02T00:00:00Z" }),
  ];
  const rows = [
    { threshold: 1, doomed: ["old", "mid"] },
    { threshold: 3, doomed: [] },
    { threshold: 0, doomed: [] },
  ];
  for (const { threshold, doomed } of rows) {
    test(`of three finished pods, with a threshold of ${threshold}: ${doomed.length}`, () =>
      expect(names(surplusPods(pods, threshold))).toEqual(doomed));
  }
  test("pods without a node that are being deleted", () => {
    const deleting = [
      podOf({ name: "a", deleting: true }),
      podOf({ name: "b", node: "n", deleting: true }),
      podOf({ name: "c" }),
    ];
    expect(names(deleting.filter(isUnscheduledDeleting))).toEqual(["a"]);
  });
  test("a node counts as deleted after a delay, which starts again if the node comes back", () => {
    const missing = createMissingNodes();
    expect(missing.overdue(new Set(["n"]), 0)).toEqual([]);
    expect(missing.overdue(new Set(["n"]), quarantineMs)).toEqual(["n"]);
    expect(missing.overdue(new Set(), quarantineMs + 1)).toEqual([]);
    expect(missing.overdue(new Set(["n"]), quarantineMs + 2)).toEqual([]);
  });
});

test("a failed lookup of one node does not stop the collection of other pods", async () => {
  const clock = createManualClock(Date.now());
  const ref = { namespace: "default", name: "p" };
  const spec = { containers: [{ name: "c", image: "i" }] };
  await withControllers(
    [podGcController],
    async ({ client, create }) => {
      await create(Pod, { metadata: { namespace: "default", name: "q" }, spec: { ...spec, nodeName: "n" } });
      await create(Pod, { metadata: { ...ref, finalizers: ["example.com/kept"] }, spec });
      await client.of(Pod).delete(ref);
      const seconds = async () => (await client.of(Pod).get(ref)).metadata.deletionGracePeriodSeconds;
      while ((await seconds()) !== 0) clock.advance(20_000);
      await client.of(Pod).get({ namespace: "default", name: "q" });
    },
    {
      clock,
      controllerFetch: (fetch) => async (path, init) =>
        path.endsWith("/nodes/n") ? Response.json({ code: 400 }, { status: 400 }) : await fetch(path, init),
    },
  );
});

test("pods of a deleted node are deleted after a delay", async () => {
  const clock = createManualClock(Date.now());
  const [namespace, name] = ["default", "p"];
  await withControllers(
    [podGcController],
    async ({ client, create }) => {
      await create(Node, { metadata: { name: "n" } });
      const spec = { nodeName: "n", containers: [{ name: "c", image: "i" }] };
      await create(Pod, { metadata: { name, namespace }, spec });
      await client.of(Node).delete({ name: "n" });
      // Runs rounds until the pod is gone: each reads a cache that may be behind.
      while ((await client.of(Pod).list({ namespace })).items.length > 0) clock.advance(20_000);
    },
    { clock },
  );
});

test.each(["1.26", "1.33", "1.34", "1.37"] as const)(
  "at level %s a pod of a deleted node has failed, and says that it was disrupted",
  async (emulatedVersion) => {
    const clock = createManualClock(Date.now());
    const ref = { namespace: "default", name: "p" };
    await withControllers(
      [podGcController],
      async ({ client, create }) => {
        const spec = { nodeName: "n", containers: [{ name: "c", image: "i" }] };
        await create(Pod, { metadata: { ...ref, finalizers: ["example.com/kept"] }, spec });
        const find = () => client.of(Pod).get(ref);
        while ((await find()).metadata.deletionGracePeriodSeconds !== 0) clock.advance(20_000);
        const { status } = await find();
        expect(status?.phase).toBe("Failed");
        expect(status?.conditions).toMatchObject([
          { type: "DisruptionTarget", status: "True", reason: "DeletionByPodGC" },
        ]);
        // Conditions say of which generation they are since 1.34.
        const isOfGeneration = ["1.34", "1.37"].includes(emulatedVersion);
        expect(status?.conditions?.[0]?.observedGeneration).toBe(isOfGeneration ? 1 : undefined);
      },
      { clock, server: { emulatedVersion } },
    );
  },
);

test("from level 1.26 pods that are being deleted on a node that is off are removed", async () => {
  const clock = createManualClock(Date.now());
  const ref = { namespace: "default", name: "p" };
  await withControllers(
    [podGcController],
    async ({ client, create, untilGone }) => {
      const taints = [{ key: "node.orch.io/out-of-service", effect: "NoExecute" }];
      await create(Node, { metadata: { name: "n" }, spec: { taints } });
      await create(Pod, { metadata: ref, spec: { nodeName: "n", containers: [{ name: "c", image: "i" }] } });
      await client.of(Pod).delete(ref);
      const gone = untilGone(Pod, ref).then(() => true);
      while (!(await Promise.race([gone, new Promise((done) => setTimeout(done, 20))]))) clock.advance(20_000);
    },
    { clock, server: { emulatedVersion: "1.35" } },
  );
});
