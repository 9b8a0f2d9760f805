/**
 * The commands of all simulated pods. A pod has processes as soon as one of its containers has a command that is understood, or a client
 * executes something in it; they are gone when the pod is.
 */

import type { Container } from "../../api/core/v1/pod/container.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import type { Clock } from "../../base/clock.ts";
import { nextTimeSlice } from "../../base/time-slice.ts";
import type { CommandRun, PodCommands, StartedRun, StoppedRuns } from "../life/command-run.ts";
import type { ContainerEvent } from "../life/container-events.ts";
import type { PodContext } from "../life/context.ts";
import { isStopDeclared } from "../life/pod-life.ts";
import type { ContainerLog } from "./container-log.ts";
import type { PodInputs } from "./inputs.ts";
import { KeptBytes } from "./kept-bytes.ts";
import { PodProcesses } from "./pod-processes.ts";
import type { InputReader } from "./read-inputs.ts";
import { isAccountVolume } from "./volumes.ts";

/** Files and logs of all pods together; beyond that the pod that was changed longest ago loses its own. */
export const allFileBytesMax = 128 * 1024 * 1024;
export const allLogBytesMax = 64 * 1024 * 1024;
/** Steps that the processes of one pod take at once, and those of all pods in a second of the clock. */
export const turnStepsMax = 1_000;
export const allStepsPerSecondMax = 50_000;
/** How soon objects are read again: for a container that is to be started, and for the volumes of one that runs. */
const inputsMs = 1_000;
const volumesMs = 60_000;
/** How long pods wait when all of them together were too fast. */
const pauseMs = 100;
/** For how many time slices a client waits for what happened since the processes were last looked at. */
const catchUpSlicesMax = 1_000;

interface SimulatedCommandsOptions {
  readonly clock: Clock;
  readonly reader: Pick<InputReader, "read">;
  /** Something is to be done for the processes of the pod now. */
  wake(pod: Pod): void;
  /** The state of a container has changed. */
  changed(pod: Pod): void;
}

export class SimulatedCommands {
  readonly #options: SimulatedCommandsOptions;
  readonly #pods = new Map<string, PodProcesses>();
  /** Why pods wait whose commands are not run. */
  readonly #refused = new Map<string, Pick<PodInputs, "refusals" | "missingVolume" | "readMs">>();
  readonly #files = new KeptBytes(allFileBytesMax);
  readonly #logs = new KeptBytes(allLogBytesMax);
  #stepsLeft = allStepsPerSecondMax;
  #countedMs: number;

  constructor(options: SimulatedCommandsOptions) {
    this.#options = options;
    this.#countedMs = options.clock.now();
  }

  /** Reads what the pod refers to, if a container is to be started; undefined: nothing is to be read. */
  prepare(pod: Pod): Promise<void> | undefined {
    const uid = pod.metadata.uid ?? "";
    const wants = wantsOf(pod);
    const isOver = pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
    if (!wants.isAny || isOver || pod.metadata.deletionTimestamp != null) return undefined;
    const known = this.#pods.get(uid)?.inputs ?? this.#refused.get(uid);
    const isFresh = known !== undefined && this.#options.clock.now() - known.readMs < inputsMs;
    if (isFresh || (known !== undefined && !isStarting(pod))) return undefined;
    return this.#read(pod, wants.hasCommands, false);
  }

  async #read(pod: Pod, forCommands: boolean, forClient: boolean): Promise<void> {
    const uid = pod.metadata.uid ?? "";
    const withToken = forClient || mentionsToken(pod);
    const inputs = await this.#options.reader.read(pod, { forCommands: forCommands || forClient, withToken });
    const known = this.#pods.get(uid);
    if (known !== undefined) known.update(pod, inputs);
    else if (forCommands || forClient) this.#pods.set(uid, this.#open(pod, inputs));
    this.#refused.set(uid, { readMs: inputs.readMs, refusals: inputs.refusals, missingVolume: inputs.missingVolume });
  }

  #open(pod: Pod, inputs: PodInputs): PodProcesses {
    const { clock, wake, changed } = this.#options;
    return new PodProcesses(pod, {
      nowMs: clock.now(),
      inputs,
      files: this.#files,
      logs: this.#logs,
      wake: () => wake(pod),
      changed: () => changed(pod),
    });
  }

  /** What the life of the pod asks. */
  of(pod: Pod): PodCommands | undefined {
    const uid = pod.metadata.uid ?? "";
    const processes = this.#pods.get(uid);
    const refused = this.#refused.get(uid);
    if (processes === undefined && refused === undefined) return undefined;
    processes?.update(pod, processes.inputs);
    return {
      refusal: (container) => {
        const message = refused?.refusals.get(container);
        return message === undefined ? undefined : { reason: "CreateContainerConfigError", message };
      },
      run: (container, run) => processes && this.#run(processes, container, run),
    };
  }

  #run(processes: PodProcesses, container: Container, run: StartedRun): CommandRun | undefined {
    processes.advance(this.#options.clock.now(), { left: turnStepsMax });
    return processes.run(container, run);
  }

  /** What the agent has to say about the containers of a pod. */
  takeEvents({ metadata }: Pod): readonly ContainerEvent[] {
    return this.#pods.get(metadata.uid ?? "")?.takeEvents() ?? [];
  }

  /** Why the pod cannot be started: a volume shows an object that does not exist. */
  missingVolume({ metadata }: Pod): PodInputs["missingVolume"] {
    return this.#refused.get(metadata.uid ?? "")?.missingVolume;
  }

  /** Lets the processes of a pod run; when they are to be looked at again, undefined: not by themselves. */
  turn(pod: Pod): { readonly reviewInMs: number } | undefined | Promise<undefined> {
    const processes = this.#pods.get(pod.metadata.uid ?? "");
    if (processes === undefined) return undefined;
    const nowMs = this.#options.clock.now();
    processes.update(pod, processes.inputs);
    processes.endStopped();
    const budget = { left: Math.min(turnStepsMax, this.#take(nowMs)) };
    const before = budget.left;
    if (before <= 0) return { reviewInMs: pauseMs };
    const isDone = processes.advance(nowMs, budget);
    this.#stepsLeft -= before - budget.left;
    if (!isDone) return { reviewInMs: 0 };
    const { dueMs } = processes.machine;
    if (processes.inputs.volumes.size > 0 && Number.isFinite(dueMs) && nowMs - processes.inputs.readMs > volumesMs)
      return this.#read(pod, true, processes.inputs.hasToken).then(() => void this.#options.wake(pod));
    return Number.isFinite(dueMs) ? { reviewInMs: Math.max(0, dueMs - nowMs) } : undefined;
  }

  #take(nowMs: number): number {
    const gained = ((nowMs - this.#countedMs) / 1_000) * allStepsPerSecondMax;
    this.#countedMs = nowMs;
    this.#stepsLeft = Math.min(allStepsPerSecondMax, this.#stepsLeft + Math.max(0, gained));
    return this.#stepsLeft;
  }

  /** The processes of a deleted pod are stopped, within its grace period. Undefined: it has none, or other things decide. */
  stop(pod: Pod, context: Pick<PodContext, "behaviour" | "stages">): StoppedRuns | undefined {
    const processes = this.#pods.get(pod.metadata.uid ?? "");
    if (processes === undefined || processes.runs.size === 0 || isStopDeclared(context)) return undefined;
    const untilMs = Date.parse(pod.metadata.deletionTimestamp ?? "");
    processes.update(pod, processes.inputs);
    // What a signal ends at once has ended after the second time.
    for (const _ of [1, 2]) {
      processes.advance(this.#options.clock.now(), { left: turnStepsMax });
      if (processes.isBehind) return "running";
      processes.stop(untilMs);
    }
    return processes.ends ?? "running";
  }

  /** The processes of a pod that a client looks at, with all that has happened until now. */
  async forClient(pod: Pod): Promise<PodProcesses> {
    await this.#read(pod, wantsOf(pod).hasCommands, true);
    const processes = this.#pods.get(pod.metadata.uid ?? "");
    if (processes === undefined) throw new Error("the processes of a pod are opened when its inputs are read");
    processes.advance(this.#options.clock.now(), { left: turnStepsMax });
    for (let slice = 0; processes.isBehind && slice < catchUpSlicesMax; slice++) {
      await nextTimeSlice();
      processes.advance(this.#options.clock.now(), { left: turnStepsMax });
    }
    return processes;
  }

  /** What a run has written; undefined: its command is not understood, and its annotations decide. */
  async logOf(pod: Pod, container: string, number: number): Promise<ContainerLog | undefined> {
    if (!wantsOf(pod).hasCommands) return undefined;
    const known = this.#pods.get(pod.metadata.uid ?? "");
    if (known === undefined || known.isBehind) return (await this.forClient(pod)).logOf(container, number);
    known.advance(this.#options.clock.now(), { left: turnStepsMax });
    return known.logOf(container, number);
  }

  /** The pod is gone. */
  forget(uid: string): void {
    this.#pods.get(uid)?.close();
    this.#pods.delete(uid);
    this.#refused.delete(uid);
  }
}

/** Whether it has commands that might be understood, and whether it refers to anything. */
function wantsOf({ spec }: Pod): { readonly hasCommands: boolean; readonly isAny: boolean } {
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  const hasCommands = containers.some(({ command = [], args = [] }) => command.length + args.length > 0);
  const refers = containers.some(
    ({ env = [], envFrom = [] }) => envFrom.length > 0 || env.some(({ valueFrom }) => valueFrom),
  );
  const hasVolumes = (spec?.volumes ?? []).some(
    (volume) => volume.configMap || volume.secret || (volume.projected && !isAccountVolume(volume)),
  );
  return { hasCommands, isAny: hasCommands || refers || hasVolumes };
}

/** Whether a container that may still run does not. */
function isStarting({ status }: Pod): boolean {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].some(
    ({ state }) => state?.running === undefined && state?.terminated?.exitCode !== 0,
  );
}

/** Tokens are made only where a command looks for them: each pod has a volume for one. */
function mentionsToken({ spec }: Pod): boolean {
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  return (spec?.volumes ?? [])
    .filter(isAccountVolume)
    .some(({ name }) =>
      containers.some(({ volumeMounts = [], command = [], args = [] }) =>
        volumeMounts.some(
          (mount) => mount.name === name && [...command, ...args].some((word) => word.includes(mount.mountPath)),
        ),
      ),
    );
}
