/** How long plugins and whole phases of admission take, under the names and labels of v1.21. */

import type { Clock } from "../base/clock.ts";
import { Histogram, type Metric, Summary } from "../base/metrics.ts";
import { pluginDuration, stepDuration, stepSummary } from "../metrics/admission.ts";
import type { Operation } from "../registry/contract/admission.ts";

/** The names of the two phases in metrics: "admit" is the mutating one. */
const types = { mutate: "admit", validate: "validate" } as const;
type Phase = keyof typeof types;

/** Counts the durations of one series. */
export interface DurationSeries {
  add(ms: number, isRejected: boolean): void;
}

export interface AdmissionMeter {
  /** In milliseconds. */
  now(): number;
  ofPlugin(name: string, operation: Operation, phase: Phase): DurationSeries;
  /** The durations of all plugins together. */
  ofPhase(operation: Operation, phase: Phase): DurationSeries;
}

const nowhere: DurationSeries = { add() {} };
export const unmeasured: AdmissionMeter = { now: () => 0, ofPlugin: () => nowhere, ofPhase: () => nowhere };

interface AdmissionMetrics {
  readonly metrics: readonly Metric[];
  readonly meter: AdmissionMeter;
}

export function createAdmissionMetrics(clock: Clock): AdmissionMetrics {
  const ofPlugins = new Histogram(pluginDuration);
  const ofPhases = new Histogram(stepDuration);
  const summary = new Summary(stepSummary);
  return {
    metrics: [ofPlugins, ofPhases, summary],
    meter: {
      now: () => clock.monotonic(),
      ofPlugin: (name, operation, phase) =>
        counted((rejected) => {
          const series = ofPlugins.series(ofPlugins.labelKey(name, operation, rejected, types[phase]));
          return (seconds) => ofPlugins.observe(series, seconds);
        }),
      ofPhase: (operation, phase) =>
        counted((rejected) => {
          const key = ofPhases.labelKey(operation, rejected, types[phase]);
          const series = ofPhases.series(key);
          const samples = summary.samples(key);
          return (seconds) => {
            ofPhases.observe(series, seconds);
            summary.observe(samples, seconds);
          };
        }),
    },
  };
}

/** `make` is called for the first duration: only series with values are shown, and labels are joined once. */
function counted(make: (rejected: string) => (seconds: number) => void): DurationSeries {
  let admitted: ((seconds: number) => void) | undefined;
  let refused: ((seconds: number) => void) | undefined;
  return {
    add(ms, isRejected) {
      if (isRejected) refused ??= make("true");
      else admitted ??= make("false");
      (isRejected ? refused : admitted)?.(ms / 1_000);
    },
  };
}
