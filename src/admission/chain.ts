/** Runs the plugins in order: first the mutating phase, after validation of the object the validating one. */

import type { Admission, AdmissionRequest, StepOutcome } from "../registry/contract/admission.ts";
import { type AdmissionMeter, type DurationSeries, unmeasured } from "./admission-metrics.ts";
import { Refusal } from "./context.ts";
import type { AdmissionPlugin, AdmissionRule, RequestTarget } from "./contract.ts";

/** The checks run last and are not measured: they are parts of the server that an operator does not know as plugins. */
export function createAdmission(
  plugins: readonly AdmissionPlugin[],
  meter: AdmissionMeter = unmeasured,
  checks: readonly AdmissionPlugin[] = [],
): Admission {
  const phase = (method: Method) => createPhase(method, [...plugins, ...checks], meter, new Set(checks));
  const mutate = phase("mutate");
  const validate = phase("validate");
  return {
    mutate: (request) => runPhase(mutate(request), request, meter, "twice"),
    validate(request) {
      request.trace?.mutated(request);
      return runPhase(validate(request), request, meter, "once");
    },
  };
}

type Method = "mutate" | "validate";

/** The rule of one plugin for one target. */
interface Step {
  readonly plugin: string;
  readonly phase: Method;
  readonly rule: AdmissionRule;
  readonly run: NonNullable<AdmissionRule[Method]>;
  readonly duration: DurationSeries;
}

interface Plan {
  readonly steps: readonly Step[];
  readonly duration: DurationSeries;
}

/** The steps that may apply to a request, found once for each kind, subresource and operation: most plugins apply to few kinds. */
function createPhase(
  method: Method,
  plugins: readonly AdmissionPlugin[],
  meter: AdmissionMeter,
  unmeasuredPlugins: ReadonlySet<AdmissionPlugin>,
): (target: RequestTarget) => Plan {
  const known = new WeakMap<RequestTarget["kind"]["declaration"], Map<string, Plan>>();
  const plan = (target: RequestTarget): Plan => ({
    steps: plugins.flatMap((plugin) => {
      const rule = plugin.ruleFor === undefined ? plugin : plugin.ruleFor(target);
      const run = rule?.[method];
      if (rule === undefined || run === undefined) return [];
      const { name } = plugin;
      const { ofPlugin } = unmeasuredPlugins.has(plugin) ? unmeasured : meter;
      return [{ plugin: name, phase: method, rule, run, duration: ofPlugin(name, target.operation, method) }];
    }),
    duration: meter.ofPhase(target.operation, method),
  });
  return (target) => {
    const { declaration } = target.kind;
    let ofKind = known.get(declaration);
    if (ofKind === undefined) {
      ofKind = new Map();
      known.set(declaration, ofKind);
    }
    const key = target.subresource === "" ? target.operation : `${target.operation}/${target.subresource}`;
    let found = ofKind.get(key);
    if (found === undefined) {
      found = plan(target);
      ofKind.set(key, found);
    }
    return found;
  };
}

/** "twice": if a step replaced the object, all run once more. Not again after that: plugins that undo each other's work would never end. */
function runPhase(
  { steps, duration }: Plan,
  request: AdmissionRequest,
  meter: AdmissionMeter,
  rounds: "once" | "twice",
): void | Promise<void> {
  const beganMs = meter.now();
  const again = () => (request.beginSecondRound() ? runFrom(steps, 0, request, meter) : undefined);
  let pending: void | Promise<void>;
  try {
    pending = runFrom(steps, 0, request, meter);
    if (rounds === "twice") pending = pending === undefined ? again() : pending.then(again);
  } catch (error) {
    duration.add(meter.now() - beganMs, true);
    throw error;
  }
  if (pending === undefined) return duration.add(meter.now() - beganMs, false);
  return pending.then(
    () => duration.add(meter.now() - beganMs, false),
    (error: unknown) => {
      duration.add(meter.now() - beganMs, true);
      throw error;
    },
  );
}

/** One after the other, since each sees the changes of the ones before it. Synchronous unless a plugin waits. */
function runFrom(
  steps: readonly Step[],
  start: number,
  request: AdmissionRequest,
  meter: AdmissionMeter,
): void | Promise<void> {
  let beganMs = meter.now();
  for (let index = start; index < steps.length; index++) {
    const step = steps[index]!;
    const { plugin, rule, run, duration } = step;
    if (rule.handles !== undefined && !rule.handles(request)) continue;
    const traced = request.trace?.begin(request, step);
    if (step.phase === "mutate" && rule.leavesOldMembers !== true) request.ownMembers();
    let pending: void | Promise<void>;
    try {
      pending = run.call(rule, request);
    } catch (error) {
      duration.add(meter.now() - beganMs, true);
      traced?.(refusedBy(error));
      throw named(error, plugin);
    }
    if (pending instanceof Promise) {
      const startedMs = beganMs;
      return pending.then(
        () => {
          duration.add(meter.now() - startedMs, false);
          traced?.(allowed);
          return runFrom(steps, index + 1, request, meter);
        },
        (error: unknown) => {
          duration.add(meter.now() - startedMs, true);
          traced?.(refusedBy(error));
          throw named(error, plugin);
        },
      );
    }
    const endedMs = meter.now();
    duration.add(endedMs - beganMs, false);
    traced?.(allowed);
    beganMs = endedMs;
  }
}

const allowed: StepOutcome = { outcome: "allowed" };
const refusedBy = (error: unknown): StepOutcome => ({
  outcome: "refused",
  message: error instanceof Error ? error.message : String(error),
});

const named = (error: unknown, plugin: string): unknown => (error instanceof Refusal ? error.by(plugin) : error);
