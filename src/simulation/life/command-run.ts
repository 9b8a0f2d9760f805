/** How the command of a container goes, where the simulation can run it (`containers/`). */

import type { Container } from "../../api/core/v1/pod/container.ts";

export interface PodCommands {
  /** Why a container cannot be created now; undefined: it can. */
  refusal(container: string): { readonly reason: string; readonly message: string } | undefined;
  /** The present run of a container; undefined: its command is not understood, and its behaviour decides. */
  run(container: Container, run: StartedRun): CommandRun | undefined;
}

export interface StartedRun {
  /** How often the container had been started before. */
  readonly number: number;
  readonly startedMs: number;
}

/** Absent members are decided by the behaviour of the pod. */
export type CommandRun =
  /** What was running before the agent was restarted is not known again yet: everything stays as it is. */
  | { readonly at: "behind" }
  | {
      readonly at: "known";
      readonly end?: CommandEnd | undefined;
      /** By its startup probe and its first hook. */
      readonly isStarted?: boolean | undefined;
      /** By its readiness probe. */
      readonly isReady?: boolean | undefined;
    };

export interface CommandEnd {
  readonly exitCode: number;
  /** What it left in its termination message, or in its log. */
  readonly message?: string | undefined;
}

/** How the containers of a pod that is being deleted have ended, by name; "running": some have not. */
export type StoppedRuns = "running" | ReadonlyMap<string, CommandEnd>;
