/** Walks through the lives of simulated pods, for tests. */

import type { PodSpec } from "../../api/core/v1/pod/spec.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import { finish } from "../../base/time-slice.ts";
import { behaviourOf } from "./behaviour.ts";
import { ExactTimes } from "./exact-times.ts";
import { nextStep } from "./pod-life.ts";
import type { PodStage } from "./pod-stage.ts";

export const begin = Date.parse("2026-01-01T00:00:00Z");

export const podOf = (spec: object = {}, annotations: Record<string, string> = {}): Pod => ({
  metadata: {
    name: "p",
    namespace: "ns",
    uid: "u",
    annotations: Object.fromEntries(
      Object.entries(annotations).map(([name, value]) => [`simulation.orch.io/${name}`, value]),
    ),
  },
  spec: { containers: [{ name: "c", image: "i" }], ...spec } as PodSpec, // the defaults of a server do not matter here
});

interface LifeOptions {
  readonly untilMs?: number;
  readonly stages?: readonly PodStage[];
  readonly reports?: boolean;
  /** Called between steps; what it returns is the pod from then on. */
  readonly edit?: (pod: Pod, atMs: number) => Pod;
}

export const contextAt = (
  pod: Pod,
  nowMs: number,
  times: ExactTimes,
  { stages = [], reports = false }: LifeOptions,
) => ({
  nowMs,
  times: times.of("u"),
  behaviour: behaviourOf(pod),
  stages,
  takeAddress: () => "198.18.64.0",
  hostIP: "198.18.0.0",
  resizeRoom: () => ({ capacity: { cpu: 8_000, memory: 1e9 }, usedByOthers: { cpu: 0, memory: 0 } }),
  refusal: () => undefined,
  reports,
});

/** Walks through the life of a pod, and tells when something changed and what: "200 Running c:running,ready". */
export function live(pod: Pod, options: LifeOptions = {}) {
  const told: string[] = [];
  const events: string[] = [];
  /** "back-off 10s" of each wait for a restart. */
  const waits: string[] = [];
  const times = new ExactTimes();
  let [nowMs, now] = [begin, pod];
  while (nowMs - begin <= (options.untilMs ?? 10_000)) {
    now = options.edit?.(now, nowMs - begin) ?? now;
    const step = finish(nextStep(now, contextAt(now, nowMs, times, options)));
    if (step.at === "delete") return { told: [...told, `${nowMs - begin} deleted`], events, waits, pod: now };
    if (step.at === "rest") {
      if (step.reviewInMs === undefined) break;
      nowMs += Math.max(1, step.reviewInMs);
      continue;
    }
    times.record("u", step.times);
    now = { ...now, status: step.status };
    told.push(`${nowMs - begin} ${textOf(now)}`);
    const [wait] = now.status?.containerStatuses?.[0]?.state?.waiting?.message?.split(" restarting") ?? [];
    if (wait !== undefined) waits.push(wait);
    for (const { type, reason, message } of step.events) events.push(`${type} ${reason} ${message}`);
  }
  return { told, events, waits, pod: now };
}

export function textOf({ status }: Pod): string {
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].map((one) => {
    const state =
      one.state?.waiting?.reason ?? (one.state?.running ? "running" : `exit ${one.state?.terminated?.exitCode}`);
    return `${one.name}:${state}${one.ready ? ",ready" : ""}${one.restartCount > 0 ? `,${one.restartCount}` : ""}`;
  });
  const isReady = status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True");
  return `${status?.phase}${isReady ? "*" : ""} ${containers.join(" ")}`;
}

export const toldOf = (pod: Pod, options?: LifeOptions) => live(pod, options).told;
