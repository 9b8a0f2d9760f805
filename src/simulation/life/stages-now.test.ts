import { describe, expect, test } from "vitest";
import { live, podOf, toldOf } from "./pod-life.suite.ts";
import type { PodStage } from "./pod-stage.ts";

describe("the stages of a simulated pod", () => {
  const stage = (name: string, from: PodStage["from"], delayMs: number, next: PodStage["next"]): PodStage => ({
    name,
    from,
    delayMs,
    next,
  });

  test("replace the start: first an image is missing, then the containers run", () => {
    const stages = [
      stage("pull", "Pending", 0, { waiting: { reason: "ErrImagePull", message: "not found" } }),
      stage("back-off", "Pending", 1_000, { waiting: { reason: "ImagePullBackOff" } }),
      stage("run", "Pending", 5_000, { phase: "Running" }),
    ];
    expect(toldOf(podOf(), { stages })).toEqual([
      "0 Pending c:ContainerCreating",
      "0 Pending c:ErrImagePull",
      "1000 Pending c:ImagePullBackOff",
      "5000 Running* c:running,ready",
    ]);
    expect(toldOf(podOf(), { stages: stages.slice(0, 1), untilMs: 60_000 }).at(-1)).toBe("0 Pending c:ErrImagePull");
  });

  test("make it ready and unready in turns, against its probes", () => {
    const stages = [stage("up", "NotReady", 2_000, { ready: true }), stage("down", "Ready", 3_000, { ready: false })];
    expect(toldOf(podOf(), { stages, untilMs: 8_000 }).slice(1)).toEqual([
      "200 Running c:running,ready",
      "2200 Running* c:running,ready",
      "5200 Running c:running",
      "7200 Running* c:running,ready",
    ]);
  });

  test("end its containers or the whole pod, set conditions, or delete it", () => {
    const exit = [stage("exit", "Ready", 1_000, { exitCode: 4 })];
    expect(toldOf(podOf(), { stages: exit, untilMs: 3_000 }).slice(2)).toEqual([
      "1200 Running c:exit 4",
      "1200 Running* c:running,ready,1",
      "2200 Running c:CrashLoopBackOff,1",
    ]);
    const evicted = live(podOf(), {
      stages: [stage("end", "Ready", 500, { phase: "Failed", reason: "Evicted", message: "no room" })],
    });
    expect(evicted.told.at(-1)).toBe("700 Failed c:exit 1");
    expect(evicted.pod.status).toMatchObject({ reason: "Evicted", message: "no room" });
    const gate = [
      stage("gate", "NotReady", 1_000, { conditions: [{ type: "example.com/ok", status: "True" }] }),
      stage("gone", "Ready", 2_000, { delete: true }),
    ];
    expect(toldOf(podOf({ readinessGates: [{ conditionType: "example.com/ok" }] }), { stages: gate }).slice(1)).toEqual(
      ["200 Running c:running,ready", "1200 Running c:running,ready", "1200 Running* c:running,ready", "3200 deleted"],
    );
  });
});
