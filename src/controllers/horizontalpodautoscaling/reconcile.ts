/** One pass over an autoscaler: decides on the number of replicas, scales its target, and writes the status. */

import type { HorizontalPodAutoscaler } from "../../api/autoscaling/v2beta2/horizontal-pod-autoscaler.ts";
import type { Kind } from "../../machinery/schema/kind.ts";
import { messageOf, type Plan, type PlannedEvent, put, statusOf } from "../plan.ts";
import type { ConditionFacts } from "./conditions.ts";
import { decide, type ScaleDecision } from "./decision.ts";
import type { ObservedScale, ScaleTarget } from "./observe.ts";
import { type Memory, recordChange } from "./pace.ts";
import { autoscalerStatus, type StatusInput } from "./status.ts";

interface AutoscalerInput {
  /** In the version that the server has. */
  readonly kind: Kind<HorizontalPodAutoscaler>;
  readonly autoscaler: HorizontalPodAutoscaler;
  readonly observed: ObservedScale;
  /** The history of this autoscaler, to which this pass is added. */
  readonly memory: Memory;
  readonly downscaleStabilizationMs: number;
  readonly nowMs: number;
}

export function planAutoscaler(input: AutoscalerInput): Plan {
  const { autoscaler, observed, memory, downscaleStabilizationMs, nowMs } = input;
  if ("failure" in observed) return planWithoutScale(input, observed.failure);
  const { target, readings, lacksSelector } = observed;
  const current = target.scale.spec?.replicas ?? 0;
  rememberFirst(memory, current, nowMs);
  const decision = decide({ autoscaler, current, readings, memory, downscaleStabilizationMs, nowMs });
  const conditions = [scaleWasRead, ...(lacksSelector ? [selectorIsMissing] : []), ...decision.conditions];
  const status = { current, readings, conditions, isRescaled: false, nowMs };
  return {
    about: autoscaler,
    events: [...(lacksSelector ? [selectorRequired] : []), ...decision.events],
    next: () => planScale(input, target, decision, status),
  };
}

/** The present number counts as a recommendation: a new autoscaler does not scale down at once. */
function rememberFirst(memory: Memory, current: number, nowMs: number): void {
  if (memory.isNew) memory.recommendations.push({ replicas: current, atMs: nowMs });
  memory.isNew = false;
}

const scaleWasRead: ConditionFacts = {
  type: "AbleToScale",
  status: "True",
  reason: "SucceededGetScale",
  message: "the HPA controller was able to get the target's current scale",
};
const selectorIsMissing: ConditionFacts = {
  type: "ScalingActive",
  status: "False",
  reason: "InvalidSelector",
  message: "the HPA target's scale is missing a selector",
};
const selectorRequired: PlannedEvent = { type: "Warning", reason: "SelectorRequired", message: "selector is required" };

function planWithoutScale(input: AutoscalerInput, failure: string): Plan {
  const { autoscaler, nowMs } = input;
  const reason = "FailedGetScale";
  const message = `the HPA controller was unable to get the target's current scale: ${failure}`;
  const { currentReplicas: current = 0, desiredReplicas: desired = 0 } = autoscaler.status ?? {};
  const conditions: ConditionFacts[] = [{ type: "AbleToScale", status: "False", reason, message }];
  return {
    about: autoscaler,
    events: [{ type: "Warning", reason, message: failure }],
    next: () => planStatus(input, { current, desired, readings: [], conditions, isRescaled: false, nowMs }),
  };
}

function planScale(
  input: AutoscalerInput,
  { address, scale }: ScaleTarget,
  { replicas, reason }: ScaleDecision,
  status: Omit<StatusInput, "desired">,
): Plan {
  const { autoscaler, memory, nowMs } = input;
  const { current, conditions } = status;
  const known = autoscaler.status?.desiredReplicas ?? 0;
  if (replicas === undefined) return planStatus(input, { ...status, desired: known });
  if (replicas === current) return planStatus(input, { ...status, desired: current });
  const ref = { namespace: autoscaler.metadata.namespace, name: scale.metadata.name ?? "" };
  const size = `New size: ${replicas}; reason: ${reason}`;
  const next = { ...scale, spec: { ...scale.spec, replicas } };
  const rescale = put(address, ref, "scale", next, {
    events: [{ type: "Normal", reason: "SuccessfulRescale", message: size }],
    refused: (error) => ({ type: "Warning", reason: "FailedRescale", message: `${size}; error: ${messageOf(error)}` }),
  });
  return {
    about: autoscaler,
    writes: [rescale],
    next() {
      if (autoscaler.spec?.behavior !== undefined) recordChange(memory, current, replicas, nowMs);
      const message = `the HPA controller was able to update the target scale to ${replicas}`;
      const facts: ConditionFacts = { type: "AbleToScale", status: "True", reason: "SucceededRescale", message };
      const written = { ...status, desired: replicas, conditions: [...conditions, facts], isRescaled: true };
      return planStatus(input, written);
    },
    failed(error) {
      const message = `the HPA controller was unable to update the target scale: ${messageOf(error)}`;
      const facts: ConditionFacts = { type: "AbleToScale", status: "False", reason: "FailedUpdateScale", message };
      const written = { ...status, desired: known, conditions: [...conditions, facts] };
      return { ...planStatus(input, written), recovered: true };
    },
  };
}

/** A status that could not be written is not tried again: the next pass is soon. */
function planStatus({ kind, autoscaler }: Pick<AutoscalerInput, "kind" | "autoscaler">, input: StatusInput): Plan {
  const status = autoscalerStatus(autoscaler, input);
  return { status: statusOf(kind, autoscaler, status), failed: () => ({ recovered: true }) };
}
