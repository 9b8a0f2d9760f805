/** How a simulated pod behaves: by annotations, or like most pods of its sort. */

import type { Pod } from "../api/core/v1/pod.ts";
import { parseDuration } from "../base/duration.ts";
import { controllerOf } from "../controllers/parts/ownership/controller-ref.ts";

export interface Behaviour {
  /** From the binding until the containers run. */
  readonly startMs: number;
  /** How long each init container takes. */
  readonly initMs: number;
  /** After which the containers exit; undefined: never. */
  readonly runForMs: number | undefined;
  readonly exitCode: number;
  readonly neverReady: boolean;
}

const startMsDefault = 200;
const initMsDefault = 100;
/** A pod of a job does its work and ends. */
const jobRunMs = 1_000;

/** The annotations: our own, so they have the same names in every vocabulary. */
const behaviourAnnotations = {
  "simulation.orch.io/start-after": "how long the containers take to start",
  "simulation.orch.io/run-for": "how long the containers run before they exit",
  "simulation.orch.io/exit-code": "the exit code of the containers",
  "simulation.orch.io/crash-after": "like run-for, with exit code 1",
  "simulation.orch.io/never-ready": "true: the containers never become ready",
} as const;

/** An annotation that cannot be read counts as absent. */
export function behaviourOf(pod: Pod): Behaviour {
  const given = (name: keyof typeof behaviourAnnotations) => pod.metadata.annotations?.[name];
  const duration = (name: keyof typeof behaviourAnnotations): number | undefined => {
    const nanos = parseDuration(given(name) ?? "");
    return nanos === undefined ? undefined : Math.max(0, Number(nanos) / 1e6);
  };
  const crashMs = duration("simulation.orch.io/crash-after");
  const isJob = controllerOf(pod)?.kind === "Job";
  const code = Number(given("simulation.orch.io/exit-code") ?? (crashMs === undefined ? 0 : 1));
  return {
    startMs: duration("simulation.orch.io/start-after") ?? startMsDefault,
    initMs: initMsDefault,
    runForMs: crashMs ?? duration("simulation.orch.io/run-for") ?? (isJob ? jobRunMs : undefined),
    exitCode: Number.isInteger(code) && code >= 0 && code <= 255 ? code : 0,
    neverReady: given("simulation.orch.io/never-ready") === "true",
  };
}
