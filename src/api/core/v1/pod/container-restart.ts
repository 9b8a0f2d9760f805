/** When a container is started again: after it ended, or after its resources changed. */

import { elided, int32, list, optional, type Static, string, struct } from "../../../../machinery/schema/build.ts";
import type { Environment } from "../../../../machinery/schema/environment.ts";
import {
  duplicate,
  type FieldErrors,
  noErrors,
  notSupported,
  tooLong,
  tooMany,
} from "../../../../machinery/status/field-error.ts";
import { has } from "../../../features.ts";
import { repeats } from "../../../validation.ts";

const restartRulesMax = 20;
const exitCodesMax = 255;

/** Lists that are too long are reported as such, whatever is in them. */
const atMost =
  (max: number) =>
  (items: readonly unknown[], path: string, environment: Environment): FieldErrors => {
    if (items.length <= max) return noErrors;
    return [
      has(environment, "countedRestartRules") ? tooMany(path, items.length, max) : tooLong(path, items.length, max),
    ];
  };

export const validateRestartRules = atMost(restartRulesMax);

/** v1.35 reports all problems of a policy at the list. */
export const ContainerResizePolicy = struct("core.v1.ContainerResizePolicy", {
  resourceName: string()
    .at(1)
    .openApiEnum("none")
    .required()
    .oneOf(["cpu", "memory"])
    .reported("")
    .doc("The resource that the policy is about: cpu or memory."),
  restartPolicy: string()
    .at(2)
    .openApiEnum("none")
    .required()
    .oneOf(["NotRequired", "RestartContainer"])
    .reported("")
    .doc("What a change of the resource does to the container: NotRequired, or RestartContainer."),
});
export type ContainerResizePolicy = Static<typeof ContainerResizePolicy>;

export function validateResizePolicies(policies: readonly ContainerResizePolicy[], path: string): FieldErrors {
  const names = policies.map(({ resourceName }) => resourceName);
  return [...repeats(names)].map((index) => duplicate(`${path}[${index}]`, names[index]));
}

const ContainerRestartRuleOnExitCodes = struct("core.v1.ContainerRestartRuleOnExitCodes", {
  operator: elided(string())
    .at(1)
    .openApiEnum("none")
    .listed(true)
    .oneOf(["In", "NotIn"])
    .evenEmpty()
    .doc("In: the exit code must be one of the values; NotIn: it must not be one of them."),
  values: elided(list(int32(), { topology: "set" }))
    .at(2)
    .checked(atMost(exitCodesMax))
    .doc("The exit codes that the rule compares with; at most 255."),
});

function validateAction(action: string, path: string, { gates }: Environment): FieldErrors {
  const actions = [
    "Restart",
    ...(gates.enabled("RestartAllContainersOnContainerExits") ? ["RestartAllContainers"] : []),
  ];
  return actions.includes(action) ? noErrors : [notSupported(path, action, actions)];
}

export const ContainerRestartRule = struct("core.v1.ContainerRestartRule", {
  action: elided(string())
    .at(1)
    .openApiEnum("none")
    .listed(true)
    .evenEmpty()
    .checked(validateAction)
    .doc(
      "What happens if the rule matches: Restart starts the container again, RestartAllContainers all of the pod (since 1.36).",
    ),
  exitCodes: optional(ContainerRestartRuleOnExitCodes).at(2).required().doc("The exit codes that the rule matches."),
});
export type ContainerRestartRule = Static<typeof ContainerRestartRule>;
