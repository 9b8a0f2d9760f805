/** Runs the plugins in order: first the mutating phase, after validation of the object the validating one. */

import { checkAnswer, checksCaches } from "../base/cache-check.ts";
import { inOrder } from "../base/in-order.ts";
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
    } else if (checksCaches) checkAnswer("plans of admission", namesOf(found), namesOf(plan(target)));
    return found;
  };
}

const namesOf = ({ steps }: Plan): readonly string[] => steps.map(({ plugin }) => plugin);

/** "twice": if a step replaced the object, all run once more. Not again after that: plugins that undo each other's work would never end. */
function runPhase(
  { steps, duration }: Plan,
  request: AdmissionRequest,
  meter: AdmissionMeter,
  rounds: "once" | "twice",
): void | Promise<void> {
  const beganMs = meter.now();
  const again = () => (request.beginSecondRound() ? runAll(steps, request, meter) : undefined);
  let pending: void | Promise<void>;
  try {
    pending = runAll(steps, request, meter);
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

/** A request on its way through the plugins of a phase. */
class Passage {
  readonly request: AdmissionRequest;
  readonly meter: AdmissionMeter;
  /** When the step before ended: the clock is read once for each. */
  beganMs: number;

  constructor(request: AdmissionRequest, meter: AdmissionMeter) {
    this.request = request;
    this.meter = meter;
    this.beganMs = meter.now();
  }
}

/** One after the other, since each sees the changes of the ones before it. */
const runAll = (steps: readonly Step[], request: AdmissionRequest, meter: AdmissionMeter): void | Promise<void> =>
  inOrder(steps, runStep, new Passage(request, meter));

function runStep(step: Step, passage: Passage): void | Promise<void> {
  const { request } = passage;
  const { rule, run } = step;
  if (rule.handles !== undefined && !rule.handles(request)) return;
  const traced = request.trace?.begin(request, step);
  if (step.phase === "mutate" && rule.leavesOldMembers !== true) request.ownMembers();
  let pending: void | Promise<void>;
  try {
    pending = run.call(rule, request);
  } catch (error) {
    throw refused(step, passage, traced, error);
  }
  if (!(pending instanceof Promise)) return passed(step, passage, traced);
  return pending.then(
    () => passed(step, passage, traced),
    (error: unknown) => {
      throw refused(step, passage, traced, error);
    },
  );
}

type Traced = ((outcome: StepOutcome) => void) | undefined;

function passed({ duration }: Step, passage: Passage, traced: Traced): void {
  const endedMs = passage.meter.now();
  duration.add(endedMs - passage.beganMs, false);
  passage.beganMs = endedMs;
  traced?.(allowed);
}

function refused({ duration, plugin }: Step, { meter, beganMs }: Passage, traced: Traced, error: unknown): unknown {
  duration.add(meter.now() - beganMs, true);
  traced?.(refusedBy(error));
  return named(error, plugin);
}

const allowed: StepOutcome = { outcome: "allowed" };
const refusedBy = (error: unknown): StepOutcome => ({
  outcome: "refused",
  message: error instanceof Error ? error.message : String(error),
});

const named = (error: unknown, plugin: string): unknown => (error instanceof Refusal ? error.by(plugin) : error);
