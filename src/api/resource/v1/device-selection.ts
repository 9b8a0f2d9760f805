/** Whether devices match the expressions of classes and requests. */

import { LruMap } from "../../../base/lru-map.ts";
import type { Program } from "../../../cel/contract.ts";
import { describeProblems } from "../../../cel/problems.ts";
import { compileDeviceSelector, deviceValue } from "../../../cel/schema/device-environment.ts";
import { EvaluationError, type Value } from "../../../cel/values/values.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import type { Device } from "./device.ts";
import { selectorCostMax } from "./selector-expressions.ts";

/** Programs that are kept: claims from one template, and all devices, are asked the same. */
export const deviceProgramsMax = 256;
/** Answers that are kept for one device. */
const answersMax = 32;

/** A device that expressions can be about. */
export class SelectableDevice {
  readonly driver: string;
  readonly device: Device;
  #value: Value | undefined;
  readonly answers = new LruMap<string, Answer>(answersMax);

  constructor(driver: string, device: Device) {
    this.driver = driver;
    this.device = device;
  }

  /** The variable `device`. */
  get value(): Value {
    this.#value ??= deviceValue(this.driver, this.device);
    return this.#value;
  }
}

/** `problem`: why the expression has no answer. */
export type Answer = boolean | { readonly problem: string };

/** What expressions answer about devices. Those of a client may take long, and are evaluated in steps, each of which yields what it cost. */
export type AskDevice = (expression: string, device: SelectableDevice) => Generator<number, Answer>;

/** What an answer counts for beside the cost of its expression. */
const answerCost = 20;

export function createAskDevice({ gates, level }: Pick<Environment, "gates" | "level">): AskDevice {
  const names = { release: level, hasSharing: gates.enabled("DRAConsumableCapacity") };
  const programs = new LruMap<string, Program | { readonly problem: string }>(deviceProgramsMax);
  const programOf = (expression: string) => {
    const known = programs.get(expression);
    if (known !== undefined) return known;
    const { program, problems } = compileDeviceSelector(expression, names);
    const made = program ?? { problem: describeProblems(expression, problems) };
    programs.set(expression, made);
    return made;
  };
  function* evaluated(expression: string, { value: device }: SelectableDevice): Generator<number, Answer> {
    const program = programOf(expression);
    if ("problem" in program) return program;
    const steps = program.evaluateSteps({ device }, selectorCostMax);
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) yield 1;
    const { value, cost } = step.value;
    yield cost;
    if (typeof value === "boolean") return value;
    return { problem: value instanceof EvaluationError ? value.message : "the expression is neither true nor false" };
  }
  return function* (expression, device) {
    const known = device.answers.get(expression);
    if (known !== undefined) return known;
    const answer = yield* evaluated(expression, device);
    device.answers.set(expression, answer);
    yield answerCost;
    return answer;
  };
}
