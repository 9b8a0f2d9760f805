import { describe, expect, test } from "vitest";
import { Lease } from "../../api/coordination/v1/lease.ts";
import { Event } from "../../api/core/v1/event.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { createManualClock } from "../../base/clock.ts";
import { timeText } from "../../machinery/values/time.ts";
import { withControllers } from "../scenario.suite.ts";
import { hasScheduler, isUnscheduled, planReports, reportsPerOwnerMax, unscheduledGraceMs } from "./reconcile.ts";
import { unscheduledPods } from "./wire.ts";

const nowMs = Date.parse("2026-01-01T00:01:00Z");
const podOf = (
  uid: string,
  spec: Partial<Pod["spec"]> = {},
  phase: NonNullable<Pod["status"]>["phase"] = "Pending",
): Pod => ({
  metadata: { uid, name: uid, namespace: "ns", creationTimestamp: "2026-01-01T00:00:00Z" },
  spec: { containers: [], ...spec },
  status: { phase },
});

describe("a pod waits for a scheduler", () => {
  test.each([
    ["while it is pending without a node", podOf("a"), true],
    ["but not on a node", podOf("a", { nodeName: "n" }), false],
    ["but not once it has ended", podOf("a", {}, "Failed"), false],
    ["but not if it named another scheduler", podOf("a", { schedulerName: "mine" }), false],
    ["and names the default one", podOf("a", { schedulerName: "default-scheduler" }), true],
  ])("%s", (_, pod, waits) => expect(isUnscheduled(pod)).toBe(waits));
});

test("a scheduler is there while it renews its lease", () => {
  const lease = (ageMs: number, holderIdentity = "me"): Lease => ({
    metadata: {},
    spec: { holderIdentity, renewTime: timeText(nowMs - ageMs) },
  });
  expect(hasScheduler(undefined, nowMs)).toBe(false);
  expect(hasScheduler(lease(1_000), nowMs)).toBe(true);
  expect(hasScheduler(lease(120_000), nowMs)).toBe(false);
  expect(hasScheduler(lease(1_000, ""), nowMs)).toBe(false);
});

test("each pod is reported once, not before it has waited, and only some of one owner", () => {
  const reported = new Set<string>();
  const created = Date.parse("2026-01-01T00:00:00Z");
  expect(planReports([podOf("a")], reported, created + unscheduledGraceMs - 1)).toEqual([]);
  expect(planReports([podOf("a")], reported, nowMs)).toHaveLength(1);
  expect(planReports([podOf("a")], reported, nowMs)).toEqual([]);
  const many = Array.from({ length: 30 }, (_, index) => podOf(`p${index}`));
  expect(planReports(many, reported, nowMs)).toHaveLength(reportsPerOwnerMax - 1);
});

test("an Event says why the pod is pending, and none while a scheduler holds its lease", async () => {
  const clock = createManualClock(Date.now());
  await withControllers(
    [unscheduledPods],
    async ({ client, create, untilAll }) => {
      const spec = { containers: [{ name: "c", image: "i" }] };
      const lease = { namespace: "orch-system", name: "orch-scheduler" };
      const renewTime = new Date(clock.now() + 15_000).toISOString().replace("Z", "000Z");
      await create(Lease, { metadata: lease, spec: { holderIdentity: "x", renewTime } });
      await create(Pod, { metadata: { name: "p", namespace: "default" }, spec });
      const round = async () => {
        // The informers follow the server in real time.
        await new Promise((resolve) => setTimeout(resolve, 200));
        clock.advance(10_000);
      };
      await round();
      await round();
      expect((await client.of(Event).list({ namespace: "default" })).items).toEqual([]);
      await client.of(Lease).delete(lease);
      await round();
      const [event] = await untilAll(Event, "default", (all) => all.length > 0);
      expect([event?.reason, event?.involvedObject?.name]).toEqual(["FailedScheduling", "p"]);
      expect(event?.message).toContain("no scheduler runs here");
    },
    { clock },
  );
});
