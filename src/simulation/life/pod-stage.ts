/** A stage as it applies to one pod: from which state it leads, after how long, and to what. */

import type { PodCondition } from "../../api/core/v1/pod/status.ts";

/** The states of a pod that a stage leads from. */
export const stageStates = ["Pending", "NotReady", "Ready", "Terminating"] as const;
export type StageState = (typeof stageStates)[number];

export interface PodStage {
  readonly name: string;
  readonly from: StageState;
  /** Since the pod came to the state, with the jitter of this pod. */
  readonly delayMs: number;
  readonly next: NextStatus;
}

/** What a stage makes of a pod; absent members leave it as it is. */
export interface NextStatus {
  /** Running: the containers start. Succeeded, Failed: the pod ends, whatever its restart policy is. */
  readonly phase?: "Running" | "Succeeded" | "Failed" | undefined;
  /** Why a pod has ended. */
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  /** Why the containers of a pending pod still wait. */
  readonly waiting?: { readonly reason: string; readonly message?: string } | undefined;
  /** Whatever the probes say, until the containers exit. */
  readonly ready?: boolean | undefined;
  /** The containers exit, and are restarted by their policy; or the exit code of those of a pod that ends. */
  readonly exitCode?: number | undefined;
  readonly conditions?: readonly PodCondition[] | undefined;
  readonly delete?: boolean | undefined;
}
