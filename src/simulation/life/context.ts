/** What the next step of a pod depends on, besides the pod. */

import type { Behaviour } from "./behaviour.ts";
import type { PodCommands } from "./command-run.ts";
import type { StepTimes } from "./exact-times.ts";
import type { PodStage } from "./pod-stage.ts";
import type { PodRefusal } from "./refusal.ts";
import type { ResizeRoom } from "./resize.ts";

export interface PodContext {
  readonly nowMs: number;
  /** When the agent first saw the pod on its node; undefined: now. */
  readonly seenMs?: number | undefined;
  /** As far as this agent knows them. */
  readonly times: StepTimes;
  readonly behaviour: Behaviour;
  /** How the commands of its containers go; absent: none is run. */
  readonly commands?: PodCommands | undefined;
  /** Those that select the pod. */
  readonly stages: readonly PodStage[];
  /** An address for a pod that has none yet. */
  takeAddress(): string;
  readonly hostIP: string;
  /** What the containers may get on their node; asked only for a resize. */
  resizeRoom(): ResizeRoom;
  /** Why the node refuses the pod; asked before it starts. */
  refusal(): PodRefusal | undefined;
  /** Whether agents report what those of v1.21 do not: the feature `agentReports`. */
  readonly reports: boolean;
}
