import { describe, expect, test } from "vitest";
import type { PodSpec } from "../api/core/v1/pod/spec.ts";
import type { Pod } from "../api/core/v1/pod.ts";
import { type Behaviour, behaviourOf } from "./behaviour.ts";
import { nextStep } from "./pod-life.ts";

const begin = Date.parse("2026-01-01T00:00:00Z");
const plain: Behaviour = { startMs: 200, initMs: 100, runForMs: undefined, exitCode: 0, neverReady: false };

const podOf = (spec: Partial<PodSpec> = {}, annotations: Record<string, string> = {}): Pod => ({
  metadata: { name: "p", namespace: "ns", uid: "u", annotations },
  spec: { containers: [{ name: "c", image: "i" }], ...spec } as PodSpec,
});

/** Walks through the life of a pod, and tells when something changed and what. */
function live(pod: Pod, behaviour: Behaviour, untilMs: number): readonly string[] {
  const seen: string[] = [];
  let [nowMs, sinceMs] = [begin, begin];
  let now = pod;
  while (nowMs - begin <= untilMs) {
    const step = nextStep(now, behaviour, {
      nowMs,
      sinceMs,
      takeAddress: () => "10.128.0.1",
      hostIP: "10.64.0.0",
    });
    if (step.status !== undefined) {
      const wasRunning = now.status?.containerStatuses?.[0]?.state?.running !== undefined;
      now = { ...now, status: step.status };
      const [container] = step.status.containerStatuses ?? [];
      const state = container?.state?.waiting?.reason ?? (container?.state?.running ? "running" : "terminated");
      const isRunning = container?.state?.running !== undefined;
      if (!wasRunning || !isRunning) sinceMs = nowMs;
      const ready = step.status.conditions?.find(({ type }) => type === "Ready")?.status;
      seen.push(`${nowMs - begin} ${step.status.phase} ${state} ${ready} ${container?.restartCount}`);
    }
    if (step.reviewInMs === undefined) break;
    nowMs += Math.max(1, step.reviewInMs);
  }
  return seen;
}

describe("a simulated pod", () => {
  test("starts, runs and is ready", () => {
    expect(live(podOf(), plain, 10_000)).toEqual(["0 Pending ContainerCreating False 0", "200 Running running True 0"]);
  });

  test("waits for its init containers and for the delay of its probe", () => {
    const spec = {
      initContainers: [{ name: "i", image: "i" }],
      containers: [{ name: "c", image: "i", readinessProbe: { initialDelaySeconds: 2 } }],
    } as Partial<PodSpec>;
    expect(live(podOf(spec), plain, 10_000)).toEqual([
      "0 Pending PodInitializing False 0",
      "300 Running running False 0",
      "2300 Running running True 0",
    ]);
  });

  test("succeeds or fails when it may not restart", () => {
    const ends = { ...plain, runForMs: 1_000 };
    expect(live(podOf({ restartPolicy: "Never" }), ends, 10_000).at(-1)).toBe("1200 Succeeded terminated False 0");
    expect(live(podOf({ restartPolicy: "OnFailure" }), ends, 10_000).at(-1)).toBe("1200 Succeeded terminated False 0");
    expect(live(podOf({ restartPolicy: "Never" }), { ...ends, exitCode: 3 }, 10_000).at(-1)).toBe(
      "1200 Failed terminated False 0",
    );
  });

  test("crashes and restarts with growing delays", () => {
    expect(live(podOf(), { ...plain, runForMs: 1_000, exitCode: 1 }, 40_000)).toEqual([
      "0 Pending ContainerCreating False 0",
      "200 Running running True 0",
      "1200 Running CrashLoopBackOff False 0",
      "1201 Running running True 1",
      "2201 Running CrashLoopBackOff False 1",
      "12201 Running running True 2",
      "13201 Running CrashLoopBackOff False 2",
      "33201 Running running True 3",
      "34201 Running CrashLoopBackOff False 3",
    ]);
  });

  test("is ready only when its gates are", () => {
    const gated = podOf({ readinessGates: [{ conditionType: "example.com/ok" }] });
    expect(live(gated, plain, 10_000).at(-1)).toBe("200 Running running False 0");
    const open = { ...gated, status: { conditions: [{ type: "example.com/ok", status: "True" }] } } as Pod;
    expect(live(open, plain, 10_000).at(-1)).toBe("200 Running running True 0");
  });

  test("does what its annotations say, and ignores those that cannot be read", () => {
    const annotations = { "simulation.orch.io/crash-after": "5s", "simulation.orch.io/never-ready": "true" };
    expect(behaviourOf(podOf({}, annotations))).toMatchObject({ runForMs: 5_000, exitCode: 1, neverReady: true });
    expect(
      behaviourOf(podOf({}, { "simulation.orch.io/run-for": "soon", "simulation.orch.io/exit-code": "x" })),
    ).toEqual(plain);
  });
});
