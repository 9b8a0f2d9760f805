/**
 * The processes of one simulated pod. They are not stored: after a restart of the agent they are started again with the times that the
 * status of the pod shows, and do at once what they did since then.
 */

import type { Container } from "../../api/core/v1/pod/container.ts";
import type { ContainerStatus } from "../../api/core/v1/pod/status.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import type { CommandEnd, CommandRun, StartedRun } from "../life/command-run.ts";
import type { ContainerEvent } from "../life/container-events.ts";
import { Machine, type MachineTask, type StepBudget } from "../shell/machine.ts";
import { programs } from "../shell/programs/list.ts";
import type { Streams } from "../shell/streams.ts";
import { isUnderstood } from "../shell/understood.ts";
import type { ContainerLog } from "./container-log.ts";
import { ContainerProcess } from "./container-process.ts";
import { expandReferences } from "./environment.ts";
import type { PodInputs } from "./inputs.ts";
import type { KeptBytes } from "./kept-bytes.ts";
import { hostnameOf, PodFiles } from "./pod-files.ts";

/** Steps that a pod may be behind, after a restart or where others used the time; beyond that its processes lose the time. */
export const stepsBehindMax = 200_000;

/** A client's commands may read and write so many times as much as others. */
const clientByteRate = 16;

interface PodProcessesOptions {
  readonly nowMs: number;
  readonly inputs: PodInputs;
  readonly files?: KeptBytes;
  readonly logs?: KeptBytes;
  /** A process can go on. */
  wake(): void;
  /** The state of a container has changed. */
  changed(): void;
}

export class PodProcesses {
  readonly machine: Machine;
  readonly files: PodFiles;
  #pod: Pod;
  #inputs: PodInputs;
  readonly #options: PodProcessesOptions;
  /** The newest run of each container, and the one before it. */
  readonly #runs = new Map<string, ContainerProcess>();
  readonly #previous = new Map<string, ContainerProcess>();
  readonly #told: ContainerEvent[] = [];
  #stepsBehind = 0;
  /** Runs that the status shows are still to be started. */
  #restoring = 0;
  #isBehind = false;

  constructor(pod: Pod, options: PodProcessesOptions) {
    const past = pastRuns(pod);
    this.#pod = pod;
    this.#options = options;
    this.#inputs = options.inputs;
    const nowMs = Math.min(options.nowMs, ...past.map(({ startedMs }) => startedMs));
    this.machine = new Machine(nowMs, options.wake);
    this.files = new PodFiles(() => this.machine.nowMs, options.files);
    this.update(pod, options.inputs);
    for (const run of past) this.#restore(run);
    this.#isBehind = past.length > 0;
  }

  get pod(): Pod {
    return this.#pod;
  }

  get inputs(): PodInputs {
    return this.#inputs;
  }

  /** The pod as it is now, and what its volumes show. */
  update(pod: Pod, inputs: PodInputs): void {
    this.#pod = pod;
    this.#inputs = inputs;
    for (const [volume, files] of inputs.volumes) this.files.give(volume, files);
  }

  /** Lets the processes run. False: there is more to do at this time. */
  advance(nowMs: number, budget: StepBudget): boolean {
    const before = budget.left;
    const isDone = this.machine.advance(nowMs, budget);
    this.#stepsBehind += before - budget.left;
    if (isDone || this.#stepsBehind > stepsBehindMax) {
      if (!isDone) this.machine.delay(Math.max(0, nowMs - this.machine.nowMs));
      // What was said before the agent was restarted is not said again.
      if (this.#isBehind) {
        this.#told.length = 0;
        this.#options.changed();
      }
      this.#stepsBehind = 0;
      this.#isBehind = false;
      return isDone;
    }
    this.#isBehind = true;
    return false;
  }

  get isBehind(): boolean {
    return this.#isBehind || this.#restoring > 0;
  }

  /** The present run of a container, which begins if it has not; undefined: its command is not understood. */
  run(container: Container, run: StartedRun): CommandRun | undefined {
    if (this.isBehind) return { at: "behind" };
    const known = this.#runs.get(container.name);
    if (known?.number === run.number) return known.state;
    return this.#start(container, run)?.state;
  }

  /** What the agent has to say about the containers; each is said once. */
  takeEvents(): readonly ContainerEvent[] {
    return this.#told.splice(0);
  }

  /** Undefined: the run is not known, or its command is not understood. */
  logOf(container: string, number: number): ContainerLog | undefined {
    return this.#runOf(container, number)?.log;
  }

  /** Stops what runs, at the latest at this time. */
  stop(untilMs: number): void {
    for (const run of this.#runs.values()) run.stop(untilMs);
  }

  /** How the containers have ended; undefined: some have not. */
  get ends(): ReadonlyMap<string, CommandEnd> | undefined {
    const ends = new Map<string, CommandEnd>();
    for (const [name, { end }] of this.#runs) {
      if (end === undefined) return undefined;
      ends.set(name, end);
    }
    return ends;
  }

  get runs(): ReadonlyMap<string, ContainerProcess> {
    return this.#runs;
  }

  /** Ends the processes of containers whose status is over: a stage may have ended them, or a deadline. */
  endStopped(): void {
    const { containerStatuses = [], initContainerStatuses = [], phase } = this.#pod.status ?? {};
    const isFinished = phase === "Succeeded" || phase === "Failed";
    for (const { name, state, lastState, restartCount } of [...containerStatuses, ...initContainerStatuses]) {
      const run = this.#runs.get(name);
      if (run === undefined || run.isOver || run.number > restartCount) continue;
      const hasEnded =
        state?.terminated !== undefined || (state?.waiting !== undefined && lastState?.terminated !== undefined);
      if (isFinished || hasEnded || run.number < restartCount) run.kill();
    }
  }

  /** The pod is gone, and so is all that it has written. */
  close(): void {
    for (const run of [...this.#runs.values(), ...this.#previous.values(), ...this.#shadows.values()]) {
      run.kill();
      run.log.clear();
    }
    this.files.clear();
  }

  /** Starts a command in a container whether or not its own command is understood. Throws TooManyTasks. */
  execute(
    container: Container,
    words: readonly string[],
    streams: Streams,
    ended: (code: number) => void,
  ): MachineTask {
    const run = this.#runs.get(container.name);
    const process = run === undefined || run.isOver ? this.#shadow(container) : run;
    return this.machine.start({
      group: process.group,
      byteRate: clientByteRate,
      make: (task) => process.command(task, words, streams),
      ended: ({ exitCode = 0 }) => ended(exitCode),
    });
  }

  /** The words of a container's command; undefined: the image decides, or they are not understood. */
  wordsOf(container: Container): readonly string[] | undefined {
    const environment = this.#inputs.environments.get(container.name);
    if (environment === undefined) return undefined;
    const { command = [], args = [] } = container;
    const words = [...command, ...args].map((word) => expandReferences(word, environment));
    return words.length > 0 && this.understands(container, words) ? words : undefined;
  }

  understands(container: Container, words: readonly string[]): boolean {
    return isUnderstood(words, { program: (name) => programs.get(name), files: this.#filesOf(container) });
  }

  #filesOf(container: Container) {
    const environment = this.#inputs.environments.get(container.name) ?? new Map<string, string>();
    return this.files.of(container, this.#pod, (text) => expandReferences(text, environment));
  }

  #start(container: Container, run: StartedRun): ContainerProcess | undefined {
    const words = this.wordsOf(container);
    if (words === undefined) return undefined;
    const before = this.#runs.get(container.name);
    before?.kill();
    if (before !== undefined) {
      this.#previous.get(container.name)?.log.clear();
      this.#previous.set(container.name, before);
      this.files.reset(container.name);
    }
    const process = new ContainerProcess(this.#parts(container, words), run);
    this.#runs.set(container.name, process);
    return process;
  }

  #parts(container: Container, words: readonly string[]) {
    return {
      machine: this.machine,
      pod: this.#pod,
      container,
      words,
      environment: this.#inputs.environments.get(container.name) ?? new Map<string, string>(),
      files: this.#filesOf(container),
      hostname: hostnameOf(this.#pod),
      logs: this.#options.logs,
      program: (name: string) => programs.get(name),
      changed: (events: readonly ContainerEvent[] = []) => {
        this.#told.push(...events);
        this.#options.changed();
      },
    };
  }

  readonly #shadows = new Map<string, ContainerProcess>();

  /** The place of commands in a container whose own command is not understood: a process that only waits. */
  #shadow(container: Container): ContainerProcess {
    const known = this.#shadows.get(container.name);
    if (known !== undefined && !known.isOver) return known;
    const { lifecycle: _, startupProbe: _s, livenessProbe: _l, readinessProbe: _r, ...plain } = container;
    const parts = { ...this.#parts(plain, ["tail", "-f", "/dev/null"]), logs: undefined, changed: () => {} };
    const process = new ContainerProcess(parts, { number: -1, startedMs: this.machine.nowMs });
    this.#shadows.set(container.name, process);
    return process;
  }

  #runOf(container: string, number: number): ContainerProcess | undefined {
    return [this.#runs.get(container), this.#previous.get(container)].find((run) => run?.number === number);
  }

  #restore({ container, startedMs, number, endedMs }: PastRun): void {
    const self = this;
    const { machine } = this;
    this.#restoring++;
    machine.start({
      group: "",
      sort: "agent",
      *make() {
        yield { at: "time", ms: startedMs };
        const process = self.#start(container, { number, startedMs });
        self.#restoring--;
        if (process === undefined || endedMs === undefined) return 0;
        yield { at: "until", isReady: () => process.isOver, orMs: endedMs };
        process.kill();
        return 0;
      },
    });
  }
}

interface PastRun extends StartedRun {
  readonly container: Container;
  /** Undefined: it still runs. */
  readonly endedMs: number | undefined;
}

/** The runs that the status of a pod shows, in order. */
function pastRuns({ spec, status }: Pod): readonly PastRun[] {
  const containers = new Map(
    [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map((one) => [one.name, one]),
  );
  const runs = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].flatMap(
    ({ name, state, lastState, restartCount }): PastRun[] => {
      const container = containers.get(name);
      if (container === undefined) return [];
      const last = lastState?.terminated;
      const now = state?.terminated;
      const before = state?.waiting === undefined ? restartCount - 1 : restartCount;
      return [
        ...(last === undefined ? [] : endedRun(container, last, before)),
        ...(now === undefined ? [] : endedRun(container, now, restartCount)),
        ...(state?.running?.startedAt == null
          ? []
          : [{ container, startedMs: Date.parse(state.running.startedAt), number: restartCount, endedMs: undefined }]),
      ];
    },
  );
  return runs.sort((a, b) => a.startedMs - b.startedMs);
}

type Terminated = NonNullable<NonNullable<ContainerStatus["state"]>["terminated"]>;

function endedRun(container: Container, { startedAt, finishedAt }: Terminated, number: number): PastRun[] {
  const [startedMs, endedMs] = [Date.parse(startedAt ?? ""), Date.parse(finishedAt ?? "")];
  return Number.isNaN(startedMs) || Number.isNaN(endedMs) ? [] : [{ container, startedMs, number, endedMs }];
}
