import { describe, expect, test } from "vitest";
import type { PodSpec } from "../../api/core/v1/pod/spec.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import { finish } from "../../base/time-slice.ts";
import { behaviourOf, terminationMessageCharsMax } from "./behaviour.ts";
import { ExactTimes } from "./exact-times.ts";
import { containersPerStep } from "./pod-containers.ts";
import { begin, contextAt, live, podOf, textOf, toldOf } from "./pod-life.suite.ts";
import { nextStep, stopInMs } from "./pod-life.ts";
import type { PodStage } from "./pod-stage.ts";

describe("a simulated pod", () => {
  test("starts, runs and is ready", () => {
    expect(toldOf(podOf())).toEqual(["0 Pending c:ContainerCreating", "200 Running* c:running,ready"]);
  });

  test("a late agent writes at once that the pod runs, since the time at which it should have started", () => {
    const late = (annotations: Record<string, string> = {}, stages: readonly PodStage[] = []) => {
      const pod = podOf({}, annotations);
      const context = { ...contextAt(pod, begin + 5_000, new ExactTimes(), { stages }), seenMs: begin };
      const step = finish(nextStep(pod, context));
      if (step.at !== "write") throw new Error("nothing was written");
      return [textOf({ ...pod, status: step.status }), step.status.startTime, step.times.get("pod")];
    };
    expect(late()).toEqual(["Running* c:running,ready", "2026-01-01T00:00:00Z", begin]);
    expect(late({ "start-after": "6s" })[0]).toBe("Pending c:ContainerCreating");
    expect(late({}, [{ name: "s", from: "Pending", delayMs: 0, next: { phase: "Running" } }])[0]).toBe(
      "Pending c:ContainerCreating",
    );
  });

  test("takes the steps of very many containers a few at a time", () => {
    const containers = Array.from({ length: 20 * containersPerStep }, (_, at) => ({ name: `c${at}`, image: "i" }));
    const pod = podOf({ containers });
    const steps = nextStep(pod, { ...contextAt(pod, begin + 5_000, new ExactTimes(), {}), seenMs: begin });
    let taken = 0;
    let step = steps.next();
    for (; !step.done; step = steps.next()) taken++;
    expect(taken).toBeGreaterThan(20);
    const status = step.value.at === "write" ? step.value.status : undefined;
    expect([status?.phase, status?.containerStatuses?.length]).toEqual(["Running", containers.length]);
  });

  test("has Events about its containers in the words of each level", () => {
    const probe = { periodSeconds: 1, failureThreshold: 1 };
    const containers = [{ name: "c", image: "i", livenessProbe: { ...probe, httpGet: { port: 80 } } }];
    const pod = podOf({ containers }, { "liveness-fails": "2s" });
    const eventsOf = (reports: boolean) => live(pod, { reports, untilMs: 6_000 }).events;
    const killed = [
      "Warning Unhealthy Liveness probe failed: HTTP probe failed with statuscode: 503",
      "Normal Killing Container c failed liveness probe, will be restarted",
    ];
    const started = [
      'Normal Pulled Container image "i" already present on machine',
      "Normal Created Created container c",
      "Normal Started Started container c",
    ];
    const backOff = "Warning BackOff Back-off restarting failed container";
    expect(eventsOf(false)).toEqual([...started, ...killed, ...started, ...killed, backOff]);
    const since = eventsOf(true);
    expect([since[2], since.at(-1)]).toEqual(["Normal Started Started container: c", `${backOff} c in pod p_ns(u)`]);
    const ready = podOf(
      { containers: [{ name: "c", image: "i", readinessProbe: probe }] },
      { "readiness-fails": "2s" },
    );
    expect(live(ready).events.at(-1)).toBe(
      "Warning Unhealthy Readiness probe failed: the container is simulated to fail",
    );
  });

  test("fails when it has been active for longer than its deadline, which may be shortened while it runs", () => {
    const ended = live(podOf({ activeDeadlineSeconds: 5 }));
    expect(ended.told).toEqual([
      "0 Pending c:ContainerCreating",
      "200 Running* c:running,ready",
      "5000 Failed c:exit 137",
    ]);
    expect(ended.pod.status).toMatchObject({
      reason: "DeadlineExceeded",
      message: "Pod was active on the node longer than the specified deadline",
    });
    const edit = (pod: Pod, atMs: number) => ({
      ...pod,
      spec: { ...pod.spec!, activeDeadlineSeconds: atMs < 200 ? 60 : 2 },
    });
    expect(toldOf(podOf({ activeDeadlineSeconds: 60 }), { edit }).at(-1)).toBe("2000 Failed c:exit 137");
    expect(toldOf(podOf({ activeDeadlineSeconds: 1 }, { "start-after": "8s" })).at(-1)).toMatch(/^1000 Failed/);
  });

  test("runs its init containers one after the other before its containers", () => {
    const spec = { initContainers: [{ name: "a" }, { name: "b" }] };
    expect(toldOf(podOf(spec))).toEqual([
      "0 Pending a:PodInitializing b:PodInitializing c:PodInitializing",
      "200 Pending a:running b:PodInitializing c:PodInitializing",
      "300 Pending a:exit 0,ready b:running c:PodInitializing",
      "400 Running* a:exit 0,ready b:exit 0,ready c:running,ready",
    ]);
  });

  test("tries an init container again that fails, unless it may not restart", () => {
    const init = { initContainers: [{ name: "a" }] };
    expect(toldOf(podOf(init, { "init-exit-code": "3" }), { untilMs: 15_000 }).slice(1)).toEqual([
      "200 Pending a:running c:PodInitializing",
      "300 Pending a:exit 3 c:PodInitializing",
      "300 Pending a:running,1 c:PodInitializing",
      "400 Pending a:CrashLoopBackOff,1 c:PodInitializing",
      "10400 Pending a:running,2 c:PodInitializing",
      "10500 Pending a:CrashLoopBackOff,2 c:PodInitializing",
    ]);
    expect(toldOf(podOf({ ...init, restartPolicy: "Never" }, { "init-exit-code": "3" })).at(-1)).toBe(
      "300 Failed a:exit 3 c:PodInitializing",
    );
  });

  test("has sidecars that start first, run beside its containers, and end with them", () => {
    const sidecar = { name: "s", restartPolicy: "Always", startupProbe: { initialDelaySeconds: 1 } };
    const job = podOf({ initContainers: [sidecar, { name: "a" }], restartPolicy: "Never" }, { "run-for": "2s" });
    expect(toldOf(job).slice(1)).toEqual([
      "200 Pending s:running a:PodInitializing c:PodInitializing",
      "1200 Pending s:running,ready a:running c:PodInitializing",
      "1300 Running* s:running,ready a:exit 0,ready c:running,ready",
      "3300 Succeeded s:exit 0 a:exit 0,ready c:exit 0",
    ]);
  });

  test("succeeds or fails when it may not restart", () => {
    const last = (policy: string, code: string) =>
      toldOf(podOf({ restartPolicy: policy }, { "run-for": "1s", "exit-code": code })).at(-1);
    expect(last("Never", "0")).toBe("1200 Succeeded c:exit 0");
    expect(last("OnFailure", "0")).toBe("1200 Succeeded c:exit 0");
    expect(last("Never", "3")).toBe("1200 Failed c:exit 3");
  });

  test("follows the rules of a container about its restart", () => {
    const rule = { action: "Restart", exitCodes: { operator: "In", values: [42] } };
    const container = { name: "c", restartPolicy: "Never", restartPolicyRules: [rule] };
    const of = (code: string) =>
      toldOf(podOf({ restartPolicy: "Never", containers: [container] }, { "run-for": "1s", "exit-code": code }), {
        untilMs: 1_500,
      }).at(-1);
    expect(of("42")).toBe("1200 Running* c:running,ready,1");
    expect(of("7")).toBe("1200 Failed c:exit 7");
  });

  test("crashes and restarts, first at once and then with growing delays", () => {
    expect(toldOf(podOf({}, { "crash-after": "1s" }), { untilMs: 40_000 })).toEqual([
      "0 Pending c:ContainerCreating",
      "200 Running* c:running,ready",
      "1200 Running c:exit 1",
      "1200 Running* c:running,ready,1",
      "2200 Running c:CrashLoopBackOff,1",
      "12200 Running* c:running,ready,2",
      "13200 Running c:CrashLoopBackOff,2",
      "33200 Running* c:running,ready,3",
      "34200 Running c:CrashLoopBackOff,3",
    ]);
  });

  test("restarts at once after a run of ten minutes, however often it crashed before", () => {
    const minute = 60_000;
    const told = toldOf(podOf({}, { "crash-after": "10m" }), { untilMs: 35 * minute });
    expect(told.slice(2)).toEqual([
      "600200 Running c:exit 1",
      "600200 Running* c:running,ready,1",
      "1200200 Running c:exit 1,1",
      "1200200 Running* c:running,ready,2",
      "1800200 Running c:exit 1,2",
      "1800200 Running* c:running,ready,3",
    ]);
    expect(toldOf(podOf({}, { "crash-after": "599s" }), { untilMs: 20 * minute }).at(-1)).toContain("CrashLoopBackOff");
  });

  test("waits for ten seconds again, and then longer, when it crashes after a run of ten minutes", () => {
    const minute = 60_000;
    const crash = (pod: Pod): Pod => {
      const isCalm = pod.status?.containerStatuses?.[0]?.restartCount === 4;
      return { ...pod, metadata: podOf({}, { "crash-after": isCalm ? "10m" : "1s" }).metadata };
    };
    const waits = live(podOf(), { untilMs: 15 * minute, edit: crash }).waits;
    expect(waits).toEqual(
      ["10s", "20s", "40s", "10s", "20s", "40s", "1m20s", "2m40s"].map((text) => `back-off ${text}`),
    );
  });

  test("waits for five minutes at most", () => {
    const { waits } = live(podOf({}, { "crash-after": "1s" }), { untilMs: 40 * 60_000 });
    expect(waits.slice(4, 9)).toEqual(["2m40s", "5m0s", "5m0s", "5m0s", "5m0s"].map((text) => `back-off ${text}`));
  });

  test("loses one container and keeps the others", () => {
    const two = { containers: [{ name: "a" }, { name: "b" }] };
    const crash = (pod: Pod, atMs: number): Pod =>
      atMs < 200 || pod.status?.phase !== "Running" ? pod : { ...pod, metadata: podOf({}, { exit }).metadata };
    const exit = '{"b": {"restarts": 0, "exitCode": 9}}';
    expect(toldOf(podOf(two), { edit: crash }).slice(2)).toEqual([
      "200 Running a:running,ready b:exit 9",
      "200 Running* a:running,ready b:running,ready,1",
    ]);
  });

  test("is ready only when its gates are", () => {
    const gated = podOf({ readinessGates: [{ conditionType: "example.com/ok" }] });
    expect(toldOf(gated).at(-1)).toBe("200 Running c:running,ready");
    const open = { ...gated, status: { conditions: [{ type: "example.com/ok", status: "True" }] } } as Pod;
    expect(toldOf(open).at(-1)).toBe("200 Running* c:running,ready");
  });

  test("stops within its grace period when it is deleted", () => {
    const deleted = (graceSeconds: number, stop: string): Pod => {
      const pod = podOf({}, { "stop-after": stop });
      const deletionTimestamp = new Date(begin + graceSeconds * 1_000).toISOString();
      return { ...pod, metadata: { ...pod.metadata, deletionTimestamp, deletionGracePeriodSeconds: graceSeconds } };
    };
    const inMs = (pod: Pod) => stopInMs(pod, contextAt(pod, begin, new ExactTimes(), {}));
    expect([inMs(deleted(30, "5s")), inMs(deleted(3, "5s")), inMs(deleted(30, "0s"))]).toEqual([5_000, 3_000, 0]);
  });

  test("ends by itself if it need not always run and nothing controls it, unless somebody uses its input", () => {
    const last = (spec: object) => toldOf(podOf(spec)).at(-1);
    expect(last({ restartPolicy: "Never" })).toBe("1200 Succeeded c:exit 0");
    expect(last({ restartPolicy: "OnFailure" })).toBe("1200 Succeeded c:exit 0");
    expect(last({ restartPolicy: "Always" })).toBe("200 Running* c:running,ready");
    const session = { restartPolicy: "Never", containers: [{ name: "c", image: "i", stdin: true }] };
    expect(last(session)).toBe("200 Running* c:running,ready");
    const owned = podOf({ restartPolicy: "Never" });
    const owner = { apiVersion: "v1", kind: "Runner", name: "r", uid: "r", controller: true };
    expect(toldOf({ ...owned, metadata: { ...owned.metadata, ownerReferences: [owner] } }).at(-1)).toBe(
      "200 Running* c:running,ready",
    );
  });

  test("leaves the termination messages behind that it declares, by container or for all", () => {
    const spec = { restartPolicy: "Never", containers: [{ name: "a" }, { name: "b" }] };
    const { pod } = live(podOf(spec, { "termination-message": "done", "termination-message.b": '[{"key": "x"}]' }));
    expect(pod.status?.containerStatuses?.map(({ state }) => state?.terminated?.message)).toEqual([
      "done",
      '[{"key": "x"}]',
    ]);
    const long = live(podOf(spec, { "termination-message": "x".repeat(5_000) })).pod;
    expect(long.status?.containerStatuses?.[0]?.state?.terminated?.message).toHaveLength(terminationMessageCharsMax);
  });

  test("says at level 1.35 which generation its conditions are about", () => {
    const first = podOf();
    const grow = (pod: Pod, atMs: number): Pod =>
      atMs < 5_000 ? pod : { ...pod, metadata: { ...pod.metadata, generation: 2 } };
    const given = {
      ...first,
      metadata: { ...first.metadata, generation: 1, annotations: { "simulation.orch.io/readiness-fails": "5s" } },
    };
    const spec = { containers: [{ name: "c", image: "i", readinessProbe: { periodSeconds: 1 } }] };
    const { pod } = live({ ...given, spec: podOf(spec).spec as PodSpec }, { reports: true, edit: grow });
    expect(pod.status?.observedGeneration).toBe(2);
    expect(new Set(pod.status?.conditions?.map(({ observedGeneration }) => observedGeneration))).toEqual(new Set([2]));
    const old = live(given).pod.status;
    expect([old?.observedGeneration, old?.conditions?.[0]?.observedGeneration]).toEqual([undefined, undefined]);
  });

  test("ignores annotations that cannot be read", () => {
    const odd = { "run-for": "soon", "exit-code": "x", "readiness-fails": "1-2-3", exit: "[" };
    expect(behaviourOf(podOf({}, odd))).toEqual(behaviourOf(podOf()));
  });

  test("tells of resources and of its sandbox at level 1.35, and restarts for a resize if it must", () => {
    const of = (cpu: string) => ({
      containers: [
        {
          name: "c",
          resources: { requests: { cpu } },
          resizePolicy: [{ resourceName: "cpu", restartPolicy: "RestartContainer" }],
        },
      ],
    });
    const grow = (pod: Pod, atMs: number): Pod =>
      atMs >= 200 && pod.status?.phase === "Running" ? { ...pod, spec: podOf(of("2")).spec as PodSpec } : pod;
    const { told, pod } = live(podOf(of("1")), { reports: true, edit: grow });
    expect(told.slice(1)).toEqual([
      "200 Running* c:running,ready",
      "200 Running* c:running,ready", // the resize is in progress
      "200 Running c:exit 0",
      "200 Running* c:running,ready,1",
    ]);
    expect(pod.status?.containerStatuses?.[0]).toMatchObject({
      resources: { requests: { cpu: "2" } },
      allocatedResources: { cpu: "2" },
    });
    expect(pod.status?.conditions?.[0]).toMatchObject({ type: "PodReadyToStartContainers", status: "True" });
  });
});
