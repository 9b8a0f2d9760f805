/** One run of a simulated container: its process, its log, its hooks and its probes. */

import type { Container } from "../../api/core/v1/pod/container.ts";
import type { Probe } from "../../api/core/v1/pod/container-actions.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import type { CommandEnd, CommandRun, StartedRun } from "../life/command-run.ts";
import { type ContainerEvent, hookFailedEvent, probeKillEvent, unhealthyEvent } from "../life/container-events.ts";
import { type Files, type Host, type Signal, signalOf } from "../shell/host.ts";
import type { Machine, MachineTask } from "../shell/machine.ts";
import { runWords } from "../shell/run.ts";
import { Shell, ShellError, ShellExit } from "../shell/shell.ts";
import { nothing, type OutputSink, type Streams } from "../shell/streams.ts";
import { isUnderstood } from "../shell/understood.ts";
import type { Run } from "../shell/wait.ts";
import { ContainerLog } from "./container-log.ts";
import type { KeptBytes } from "./kept-bytes.ts";
import { terminationMessage } from "./termination-message.ts";

/** What the processes of a container are started with. */
interface ProcessParts {
  readonly machine: Machine;
  readonly pod: Pod;
  readonly container: Container;
  readonly words: readonly string[];
  readonly environment: ReadonlyMap<string, string>;
  readonly files: Files;
  readonly hostname: string;
  readonly logs: KeptBytes | undefined;
  program: Host["program"];
  /** The state of the container may have changed, and what the agent says about it. */
  changed(events?: readonly ContainerEvent[]): void;
}

/** The start of the output of a probe or hook that is told. */
const outputCharsMax = 1_024;
const graceSecondsDefault = 30;

export class ContainerProcess {
  readonly number: number;
  readonly startedMs: number;
  readonly log: ContainerLog;
  readonly group: string;
  readonly host: Host;
  readonly #parts: ProcessParts;
  readonly #main: MachineTask;
  #end: CommandEnd | undefined;
  #isStopping = false;
  #isHookDone: boolean;
  #isStarted: boolean | undefined;
  #isReady: boolean | undefined;

  constructor(parts: ProcessParts, { number, startedMs }: StartedRun) {
    const { machine, container, pod, words, hostname, logs } = parts;
    this.#parts = parts;
    this.number = number;
    this.startedMs = startedMs;
    this.group = `${container.name}/${number}`;
    this.log = new ContainerLog(() => machine.nowMs, logs);
    this.host = {
      files: parts.files,
      hostname,
      log: this.log,
      nowMs: () => machine.nowMs,
      program: parts.program,
      start: (make) => machine.start({ group: this.group, make }),
      find: (pid) => machine.find(this.group, pid),
    };
    const streams = { stdin: nothing, stdout: this.log, stderr: this.log };
    this.#main = machine.start({
      group: this.group,
      // In a pod whose containers share their processes, the first one is another: signals end it as any other process.
      ...(pod.spec?.shareProcessNamespace === true ? {} : { sort: "first", pid: 1 }),
      make: (task) => this.command(task, words, streams),
      ended: ({ exitCode = 0 }) => this.#hasEnded(exitCode),
    });
    this.#isHookDone = !this.#startHook();
    this.#startProbes();
  }

  /** How it goes now. */
  get state(): CommandRun {
    const isHeld = !this.#isHookDone;
    return {
      at: "known",
      end: this.#end,
      isStarted: isHeld ? false : this.#isStarted,
      isReady: isHeld || this.#isStarted === false ? false : this.#isReady,
    };
  }

  /** Undefined: it runs. */
  get end(): CommandEnd | undefined {
    return this.#end;
  }

  get isOver(): boolean {
    return this.#end !== undefined;
  }

  /** The steps of a command in this container. */
  *command(task: MachineTask, words: readonly string[], streams: Streams): Run {
    const { environment, container } = this.#parts;
    const folder = container.workingDir || "/";
    try {
      const shell = new Shell({ host: this.host, task, environment, folder });
      return yield* runWords(shell, words, streams);
    } catch (error) {
      if (error instanceof ShellExit) return error.code;
      if (!(error instanceof ShellError)) throw error;
      streams.stderr.write(Buffer.from(`${words[0]}: ${error.message}\n`));
      return 2;
    }
  }

  /** Ends it at once. */
  kill(): void {
    this.#main.kill();
  }

  /** As agents stop a container: the hook, the signal, and at the end of the grace period the end. */
  stop(untilMs: number): void {
    if (this.#isStopping || this.isOver) return;
    this.#isStopping = true;
    const { lifecycle } = this.#parts.container;
    const hook = lifecycle?.preStop;
    const main = this.#main;
    const inTime = (isReady: () => boolean) => ({ at: "until" as const, isReady, orMs: untilMs });
    const self = this;
    this.#parts.machine.start({
      group: this.group,
      sort: "agent",
      *make() {
        if (hook?.sleep != null) {
          const endMs = self.#parts.machine.nowMs + Number(hook.sleep.seconds) * 1_000;
          yield { at: "time", ms: Math.min(endMs, untilMs) };
        } else if (hook?.exec != null && self.#understands(hook.exec.command)) {
          const started = self.#startCommand(hook.exec.command ?? [], self.log);
          yield inTime(() => started.exitCode !== undefined);
        }
        main.signal(stopSignalOf(lifecycle?.stopSignal));
        yield inTime(() => main.exitCode !== undefined);
        main.kill();
        return 0;
      },
    });
  }

  #hasEnded(exitCode: number): void {
    const { machine, container, files, changed } = this.#parts;
    machine.endGroup(this.group);
    this.log.end();
    this.#end = { exitCode, message: terminationMessage(container, exitCode, files, this.log) };
    changed();
  }

  /** Whether there is a hook to wait for. */
  #startHook(): boolean {
    const { container, machine, changed, pod } = this.#parts;
    const hook = container.lifecycle?.postStart;
    const words = hook?.exec?.command ?? [];
    const sleepMs = hook?.sleep == null ? undefined : Number(hook.sleep.seconds) * 1_000;
    if (sleepMs === undefined && (words.length === 0 || !this.#understands(words))) return false;
    const self = this;
    machine.start({
      group: this.group,
      sort: "agent",
      *make() {
        if (sleepMs !== undefined) yield { at: "time", ms: machine.nowMs + sleepMs };
        else {
          const started = self.#startCommand(words, nothing);
          yield { at: "until", isReady: () => started.exitCode !== undefined };
          if (started.exitCode !== 0) {
            changed([hookFailedEvent(container.name, pod, words, started.exitCode ?? 0)]);
            self.kill();
            return 1;
          }
        }
        self.#isHookDone = true;
        changed();
        return 0;
      },
    });
    return true;
  }

  #startProbes(): void {
    const { startupProbe, livenessProbe, readinessProbe } = this.#parts.container;
    const isRun = (probe: Probe | undefined): probe is Probe =>
      probe?.exec != null && this.#understands(probe.exec.command);
    if (isRun(startupProbe)) {
      this.#isStarted = false;
      this.#startProbe(startupProbe, "Startup", (isGood) => {
        if (isGood) this.#isStarted = true;
        return isGood;
      });
    }
    if (isRun(livenessProbe)) this.#startProbe(livenessProbe, "Liveness", () => false);
    if (isRun(readinessProbe)) {
      this.#isReady = false;
      this.#startProbe(readinessProbe, "Readiness", (isGood) => {
        this.#isReady = isGood;
        return false;
      });
    }
  }

  /** Looks at its times; `decide` is told of each change, and ends the probe. A container whose probe has failed is stopped. */
  #startProbe(probe: Probe, sort: "Startup" | "Liveness" | "Readiness", decide: (isGood: boolean) => boolean): void {
    const { machine, container, pod, changed } = this.#parts;
    const periodMs = Math.max(1, probe.periodSeconds ?? 10) * 1_000;
    const graceSeconds =
      probe.terminationGracePeriodSeconds ?? pod.spec?.terminationGracePeriodSeconds ?? graceSecondsDefault;
    const self = this;
    machine.start({
      group: this.group,
      sort: "agent",
      *make() {
        let [successes, failures] = [0, 0];
        if (sort !== "Startup") yield { at: "until", isReady: () => self.#isStarted !== false };
        const firstMs = self.startedMs + (probe.initialDelaySeconds ?? 0) * 1_000;
        for (let lookMs = Math.max(machine.nowMs, firstMs); ; lookMs = Math.max(machine.nowMs, lookMs + periodMs)) {
          yield { at: "time", ms: lookMs };
          const { isGood, output } = yield* self.#look(probe);
          [successes, failures] = isGood ? [successes + 1, 0] : [0, failures + 1];
          if (isGood && successes !== Math.max(1, probe.successThreshold ?? 1)) continue;
          if (!isGood && failures !== Math.max(1, probe.failureThreshold ?? 3)) continue;
          const isDone = decide(isGood);
          changed();
          if (isDone) return 0;
          if (isGood || sort === "Readiness") continue;
          const { name } = container;
          changed([unhealthyEvent(name, sort, probe, output), probeKillEvent(name, sort)]);
          self.stop(machine.nowMs + Number(graceSeconds) * 1_000);
          return 0;
        }
      },
    });
  }

  *#look(probe: Probe): Run<{ readonly isGood: boolean; readonly output: string }> {
    let output = "";
    const sink: OutputSink = {
      write(data) {
        if (output.length < outputCharsMax) output += data.subarray(0, outputCharsMax).toString();
      },
    };
    const started = this.#startCommand(probe.exec?.command ?? [], sink);
    const timeoutMs = Math.max(1, probe.timeoutSeconds ?? 1) * 1_000;
    yield { at: "until", isReady: () => started.exitCode !== undefined, orMs: this.#parts.machine.nowMs + timeoutMs };
    if (started.exitCode !== undefined) return { isGood: started.exitCode === 0, output };
    started.kill();
    const words = (probe.exec?.command ?? []).join(" ");
    return { isGood: false, output: `command ${JSON.stringify(words)} timed out` };
  }

  #startCommand(words: readonly string[], sink: OutputSink): MachineTask {
    const streams = { stdin: nothing, stdout: sink, stderr: sink };
    const make = (task: MachineTask) => this.command(task, words, streams);
    return this.#parts.machine.start({ group: this.group, isCounted: false, make });
  }

  #understands(words: readonly string[] | undefined): boolean {
    return words !== undefined && words.length > 0 && isUnderstood(words, this.host);
  }
}

const stopSignalOf = (text: string | undefined): Signal => (text === undefined ? undefined : signalOf(text)) ?? "TERM";
