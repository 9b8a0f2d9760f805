/** Compiles an expression: parse, check, plan. */

import { isSince } from "../base/release.ts";
import { finish, type Steps } from "../base/time-slice.ts";
import { type CheckedExpression, check } from "./check/checker.ts";
import { checkLiterals } from "./check/literal-checks.ts";
import type { Bindings, CelEnvironment, Compilation, Evaluation, Program } from "./contract.ts";
import { estimateCost } from "./estimate.ts";
import { type Folds, FrameSlots } from "./evaluate/evaluation-plan.ts";
import { Frame } from "./evaluate/frame.ts";
import { plan } from "./evaluate/plan.ts";
import { type EvaluateSteps, planSteps } from "./evaluate/steps.ts";
import { hasPart } from "./language.ts";
import { functionsOf } from "./library/libraries.ts";
import { patchType, withPatchFunctions } from "./library/patches.ts";
import { callCostMax, quickCostMax } from "./limits.ts";
import { parse } from "./syntax/parser.ts";
import { EvaluationError, type Value } from "./values/values.ts";

export function compile(text: string, environment: CelEnvironment): Compilation {
  return finish(compileSteps(text, environment));
}

/** In steps: an expression of the largest size takes tens of milliseconds to parse, and again to check. */
export function* compileSteps(
  text: string,
  { release, variables, makesPatches = false }: CelEnvironment,
): Steps<Compilation> {
  const parsed = yield* parse(text, release);
  if ("message" in parsed) return { problems: [parsed] };
  yield;
  const checked = check(parsed, {
    variables,
    functions: makesPatches ? withPatchFunctions(functionsOf(release)) : functionsOf(release),
    isOffered: ({ since }) => since === undefined || isSince(release, since),
    escapesReserved: !hasPart(release, "plainReservedWords"),
    structType: makesPatches ? patchType : () => undefined,
  });
  if (checked.problems.length > 0) return { problems: checked.problems };
  yield;
  const wrong = yield* checkLiterals(checked);
  if (wrong.length > 0) return { problems: wrong };
  yield;
  const evaluation = planEvaluation(checked);
  const used = new Set<string>();
  for (const { kind, name } of checked.references.values())
    if (kind === "variable" && variables.has(name)) used.add(name);
  const program: Program = {
    text,
    type: checked.typeOf(parsed),
    variables: used,
    estimate: (bound, level) => estimateCost(checked, bound, level),
    ...evaluation,
  };
  yield; // the caller may estimate the cost, which takes as long as the plan
  return { program };
}

function planEvaluation(checked: CheckedExpression): Pick<Program, "evaluate" | "evaluateSteps"> {
  const { expression } = checked;
  const slots = new FrameSlots();
  const folds: Folds = new Map();
  const evaluate = plan(expression, { checked, slots, folds, plan });
  const begin = (bindings: Bindings, costMax: number, workMax?: number): [Frame, Evaluation] => {
    const frame = new Frame(bind(bindings, slots), costMax, workMax);
    const value = evaluate(frame);
    return [frame, { value: frame.charge(0) ?? value, cost: frame.cost }];
  };
  /** Planned when it is first needed: few expressions are ever evaluated in steps. */
  let inSteps: { readonly steps: EvaluateSteps; readonly slots: FrameSlots } | undefined;
  const planned = () => {
    const stepSlots = new FrameSlots();
    return { steps: planSteps(expression, { checked, slots: stepSlots, folds, plan }), slots: stepSlots };
  };
  return {
    evaluate: (bindings, costMax = callCostMax, workMax) => begin(bindings, costMax, workMax)[1],
    *evaluateSteps(bindings, costMax = callCostMax) {
      const [quick, outcome] = begin(bindings, Math.min(costMax, quickCostMax), quickCostMax);
      if (!quick.isExceeded || quick.cost > costMax) return outcome;
      yield;
      inSteps ??= planned();
      yield;
      const frame = new Frame(bind(bindings, inSteps.slots), costMax);
      const value = yield* inSteps.steps(frame);
      return { value: frame.charge(0) ?? value, cost: frame.cost };
    },
  };
}

/** The variables that the expression uses, each at its slot. */
function bind(bindings: Bindings, { globals, count }: FrameSlots): Value[] {
  const values = new Array<Value>(count).fill(null);
  for (let slot = 0; slot < globals.length; slot++) {
    const name = globals[slot];
    if (name !== undefined) values[slot] = bindings[name] ?? unbound(bindings, name);
  }
  return values;
}

function unbound(bindings: Bindings, name: string): Value {
  return bindings[name] === null ? null : new EvaluationError(`no such attribute(s): ${name}`);
}
