/** How long plugins and whole steps of admission take, under the names and labels of v1.21. */

import type { Clock } from "../base/clock.ts";
import { Histogram, type Metric, type Samples, type Series, Summary } from "../base/metrics.ts";
import { pluginDuration, stepDuration, stepSummary } from "../metrics/admission.ts";
import type { Admission, AdmissionPlugin, AdmissionRequest, Operation } from "./contract.ts";

/** "admit" is the mutating phase, "validate" the validating one. */
type StepType = "admit" | "validate";
type Run = (request: AdmissionRequest) => void | Promise<void>;

export interface AdmissionMetrics {
  readonly metrics: readonly Metric[];
  /** The plugin, measured under its name. */
  withPlugin(plugin: AdmissionPlugin): AdmissionPlugin;
  /** The chain, measured as a whole. */
  withSteps(admission: Admission): Admission;
}

export function createAdmissionMetrics(clock: Clock): AdmissionMetrics {
  const ofPlugins = new Histogram(pluginDuration);
  const ofSteps = new Histogram(stepDuration);
  const summary = new Summary(stepSummary);
  const measure = (run: Run, observe: Observe): Run => measured(run, observe, clock);
  return {
    metrics: [ofPlugins, ofSteps, summary],
    withPlugin(plugin) {
      const { name, mutate, validate } = plugin;
      const observe = (type: StepType) => {
        const seriesOf = remembered((operation, rejected) =>
          ofPlugins.series(ofPlugins.labelKey(name, operation, rejected, type)),
        );
        return (operation: Operation, isRejected: boolean, seconds: number) =>
          ofPlugins.observe(seriesOf(operation, isRejected), seconds);
      };
      return {
        name,
        concerns: (target) => plugin.concerns?.(target) ?? true,
        handles: (request) => plugin.handles(request),
        ...(mutate ? { mutate: measure((request) => mutate.call(plugin, request), observe("admit")) } : {}),
        ...(validate ? { validate: measure((request) => validate.call(plugin, request), observe("validate")) } : {}),
      };
    },
    withSteps(admission) {
      const observe = (type: StepType): Observe => {
        const placesOf = remembered<{ series: Series; samples: Samples }>((operation, rejected) => {
          const key = ofSteps.labelKey(operation, rejected, type);
          return { series: ofSteps.series(key), samples: summary.samples(key) };
        });
        return (operation, isRejected, seconds) => {
          const { series, samples } = placesOf(operation, isRejected);
          ofSteps.observe(series, seconds);
          summary.observe(samples, seconds);
        };
      };
      return {
        mutate: measure((request) => admission.mutate(request), observe("admit")),
        validate: measure((request) => admission.validate(request), observe("validate")),
      };
    },
  };
}

type Observe = (operation: Operation, isRejected: boolean, seconds: number) => void;

/** Synchronous where `run` is. */
function measured(run: Run, observe: Observe, clock: Clock): Run {
  const secondsSince = (beganMs: number) => (clock.monotonic() - beganMs) / 1_000;
  return (request) => {
    const beganMs = clock.monotonic();
    let pending: void | Promise<void>;
    try {
      pending = run(request);
    } catch (error) {
      observe(request.operation, true, secondsSince(beganMs));
      throw error;
    }
    if (pending === undefined) return observe(request.operation, false, secondsSince(beganMs));
    return pending.then(
      () => observe(request.operation, false, secondsSince(beganMs)),
      (error: unknown) => {
        observe(request.operation, true, secondsSince(beganMs));
        throw error;
      },
    );
  };
}

/** What `make` gives for each operation and outcome, made on first use: labels are not put together for every request. */
function remembered<T>(
  make: (operation: Operation, rejected: string) => T,
): (operation: Operation, isRejected: boolean) => T {
  const ofRejected = new Map<Operation, T>();
  const ofAdmitted = new Map<Operation, T>();
  return (operation, isRejected) => {
    const known = isRejected ? ofRejected : ofAdmitted;
    let found = known.get(operation);
    if (found === undefined) {
      found = make(operation, String(isRejected));
      known.set(operation, found);
    }
    return found;
  };
}
