/**
 * When the probes of a container succeed and fail, in milliseconds since the container started. Nothing is called: probes look at the
 * container at fixed times, and the behaviour of the pod says from when to when it would answer badly.
 */

import type { Probe } from "../../api/core/v1/pod/container-actions.ts";

/** From when to when a probe fails; the end may be infinite. */
export interface FailingTime {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The moments at which a probe looks. */
interface ProbeTimes {
  readonly firstMs: number;
  readonly periodMs: number;
  readonly successes: number;
  readonly failures: number;
}

/** `sinceMs`: probes of this sort do not begin before. */
function timesOf(probe: Probe, sinceMs: number): ProbeTimes {
  return {
    firstMs: Math.max(sinceMs, (probe.initialDelaySeconds ?? 0) * 1_000),
    periodMs: Math.max(1, probe.periodSeconds ?? 10) * 1_000,
    successes: Math.max(1, probe.successThreshold ?? 1),
    failures: Math.max(1, probe.failureThreshold ?? 3),
  };
}

/** The first look that is not before `ms`. */
const lookFrom = ({ firstMs, periodMs }: ProbeTimes, ms: number): number =>
  firstMs + Math.ceil(Math.max(0, ms - firstMs) / periodMs) * periodMs;

interface Startup {
  /** When the container counts as started. */
  readonly startedMs: number;
  /** When it is ended because it took too long; undefined: it is not. */
  readonly killMs: number | undefined;
}

/** `takesMs`: for how long the startup probe fails. */
export function startupOf(probe: Probe | undefined, takesMs: number): Startup {
  if (probe === undefined) return { startedMs: 0, killMs: undefined };
  const times = timesOf(probe, 0);
  const startedMs = lookFrom(times, takesMs);
  const killMs = times.firstMs + (times.failures - 1) * times.periodMs;
  return { startedMs, killMs: startedMs > killMs ? killMs : undefined };
}

/** When a liveness probe has failed so often that the container is ended; undefined: never. */
export function livenessKillMs(
  probe: Probe | undefined,
  failing: FailingTime | undefined,
  startedMs: number,
): number | undefined {
  if (probe === undefined || failing === undefined) return undefined;
  const times = timesOf(probe, startedMs);
  const lastMs = lookFrom(times, failing.fromMs) + (times.failures - 1) * times.periodMs;
  return lastMs < failing.toMs ? lastMs : undefined;
}

/** The moments at which readiness changes, in order, from not ready on. */
export function readinessChanges(
  probe: Probe | undefined,
  failing: FailingTime | undefined,
  startedMs: number,
): readonly number[] {
  if (probe === undefined) return [startedMs];
  const times = timesOf(probe, startedMs);
  const firstReadyMs = times.firstMs + (times.successes - 1) * times.periodMs;
  if (failing === undefined) return [firstReadyMs];
  const againMs = lookFrom(times, failing.toMs) + (times.successes - 1) * times.periodMs;
  const again = Number.isFinite(againMs) ? [againMs] : [];
  if (failing.toMs <= times.firstMs) return [firstReadyMs];
  if (failing.fromMs <= firstReadyMs) return again;
  const lostMs = lookFrom(times, failing.fromMs) + (times.failures - 1) * times.periodMs;
  return lostMs < failing.toMs ? [firstReadyMs, lostMs, ...again] : [firstReadyMs];
}
