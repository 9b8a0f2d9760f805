/** When a container is started again: after it ended, or after its resources changed. */

import { elided, int32, list, optional, type Static, string, struct } from "../../../../machinery/schema/build.ts";

export const ContainerResizePolicy = struct("core.v1.ContainerResizePolicy", {
  resourceName: string().at(1).doc("The resource that the policy is about: cpu or memory."),
  restartPolicy: string()
    .at(2)
    .doc("What a change of the resource does to the container: NotRequired, or RestartContainer."),
});
export type ContainerResizePolicy = Static<typeof ContainerResizePolicy>;

export const ContainerRestartRuleOnExitCodes = struct("core.v1.ContainerRestartRuleOnExitCodes", {
  operator: elided(string())
    .at(1)
    .listed(true)
    .doc("In: the exit code must be one of the values; NotIn: it must not be one of them."),
  values: elided(list(int32(), { topology: "set" }))
    .at(2)
    .doc("The exit codes that the rule compares with; at most 255."),
});
export type ContainerRestartRuleOnExitCodes = Static<typeof ContainerRestartRuleOnExitCodes>;

export const ContainerRestartRule = struct("core.v1.ContainerRestartRule", {
  action: elided(string())
    .at(1)
    .listed(true)
    .doc("What happens if the rule matches: Restart starts the container again."),
  exitCodes: optional(ContainerRestartRuleOnExitCodes).at(2).doc("The exit codes that the rule matches."),
});
export type ContainerRestartRule = Static<typeof ContainerRestartRule>;
