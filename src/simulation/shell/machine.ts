/**
 * The processes of one pod on the clock of the simulation: each runs until it waits, the one that is due first goes first. Nothing is
 * executed in the time between: a process that was not looked at for an hour does the work of that hour when it is, as if it had been
 * there all the time.
 */

import { type Signal, signals, TooManyTasks } from "./host.ts";
import { bytesPerSecondMax, stepsPerSecondMax, tasksMax } from "./limits.ts";
import { BrokenPipe } from "./streams.ts";
import type { Run, Wait } from "./wait.ts";

/** So many bytes count as one step. */
const bytesPerStep = bytesPerSecondMax / stepsPerSecondMax;

/** How much may be done at once. */
export interface StepBudget {
  left: number;
}

interface TaskOptions {
  /** What ends together: the processes of one container. */
  readonly group: string;
  /**
   * "first": the process of the container itself, which ignores signals that it does not catch; "agent": what the agent does, which is
   * not counted as a process.
   */
  readonly sort?: "first" | "agent";
  /** Whether it counts as a process of the pod, of which there may be so many. Default: unless it is the agent. */
  readonly isCounted?: boolean;
  /** A client that reads and writes waits for its own network, and may have so many times the bytes of others. Default: 1. */
  readonly byteRate?: number;
  /** Undefined: the next free one. */
  readonly pid?: number;
  make(task: MachineTask): Run;
  /** Called when it has ended, however that came. */
  ended?(task: MachineTask): void;
}

export class MachineTask {
  readonly pid: number;
  readonly run: Run;
  readonly group: string;
  readonly sort: TaskOptions["sort"];
  handler: ((signal: Signal) => boolean) | undefined;
  exitCode: number | undefined;
  endedMs: number | undefined;
  wait: Wait = { at: "step" };
  /** When it may go on after a step. */
  dueMs: number;
  /** Steps in the present second. */
  steps = 0;
  secondMs: number;
  readonly isCounted: boolean;
  readonly byteRate: number;
  readonly ended: TaskOptions["ended"];
  readonly #machine: Machine;

  constructor(machine: Machine, pid: number, options: TaskOptions) {
    this.#machine = machine;
    this.pid = pid;
    this.group = options.group;
    this.sort = options.sort;
    this.isCounted = options.isCounted === true;
    this.byteRate = options.byteRate ?? 1;
    this.ended = options.ended;
    this.dueMs = machine.nowMs;
    this.secondMs = machine.nowMs;
    this.run = options.make(this);
  }

  signal(signal: Signal): void {
    if (this.exitCode !== undefined || (signal !== "KILL" && this.handler?.(signal))) return;
    if (this.sort !== "first") this.#machine.end(this, 128 + signals[signal]);
  }

  /** Ends it, whatever it is: what the agent does when the time to stop is over. */
  kill(): void {
    this.#machine.end(this, 128 + signals.KILL);
  }
}

export class Machine {
  nowMs: number;
  readonly #tasks = new Set<MachineTask>();
  #processes = 0;
  #pids = 1;
  #current: MachineTask | undefined;
  #isRunning = false;
  readonly #wake: () => void;

  /** `wake` is called when a process can go on although no time has passed. */
  constructor(nowMs: number, wake: () => void = () => {}) {
    this.nowMs = nowMs;
    this.#wake = wake;
  }

  /** Throws TooManyTasks. */
  start(options: TaskOptions): MachineTask {
    const isCounted = options.isCounted ?? options.sort !== "agent";
    if (isCounted && this.#processes >= tasksMax)
      throw new TooManyTasks("can't fork: Resource temporarily unavailable");
    const task = new MachineTask(this, options.pid ?? ++this.#pids, { ...options, isCounted });
    this.#tasks.add(task);
    if (task.isCounted) this.#processes++;
    this.wake();
    return task;
  }

  find(group: string, pid: number): MachineTask | undefined {
    for (const task of this.#tasks) if (task.group === group && task.pid === pid && task.sort !== "agent") return task;
    return undefined;
  }

  /** Something has happened that a process may wait for. */
  wake(): void {
    if (!this.#isRunning) this.#wake();
  }

  end(task: MachineTask, code: number): void {
    if (task.exitCode !== undefined) return;
    task.exitCode = code;
    task.endedMs = this.nowMs;
    this.#tasks.delete(task);
    if (task.isCounted) this.#processes--;
    // One that ends itself is in the middle of a step.
    if (this.#current !== task) task.run.return(code);
    task.ended?.(task);
    this.wake();
  }

  endGroup(group: string): void {
    for (const task of this.#tasks) if (task.group === group) task.kill();
  }

  /** When the next process goes on; infinite: only if something happens. */
  get dueMs(): number {
    let due = Number.POSITIVE_INFINITY;
    for (const task of this.#tasks) due = Math.min(due, this.#dueOf(task));
    return due;
  }

  /** Lets the processes run up to a time. False: the budget is spent, and there is more to do. */
  advance(toMs: number, budget: StepBudget): boolean {
    if (this.#isRunning) return true;
    this.#isRunning = true;
    try {
      for (;;) {
        let next: MachineTask | undefined;
        let due = Number.POSITIVE_INFINITY;
        for (const task of this.#tasks) {
          const one = this.#dueOf(task);
          if (one < due) [next, due] = [task, one];
        }
        if (next === undefined || due > toMs) break;
        if (budget.left <= 0) return false;
        this.nowMs = Math.max(this.nowMs, due);
        this.#runOne(next, budget);
      }
      this.nowMs = Math.max(this.nowMs, toMs);
      return true;
    } finally {
      this.#isRunning = false;
    }
  }

  /** Time stood still for the processes: all that they wait for comes later. */
  delay(ms: number): void {
    this.nowMs += ms;
    for (const task of this.#tasks) {
      task.dueMs += ms;
      task.secondMs += ms;
      if (task.wait.at === "time") task.wait = { at: "time", ms: task.wait.ms + ms };
    }
  }

  #dueOf(task: MachineTask): number {
    switch (task.wait.at) {
      case "step":
        return Math.max(task.dueMs, this.nowMs);
      case "time":
        return Math.max(task.wait.ms, this.nowMs);
      case "until":
        return task.wait.isReady() ? this.nowMs : Math.max(task.wait.orMs ?? Number.POSITIVE_INFINITY, this.nowMs);
      case "call":
        return Number.POSITIVE_INFINITY;
    }
  }

  /** Until it waits for something. */
  #runOne(task: MachineTask, budget: StepBudget): void {
    this.#current = task;
    try {
      for (;;) {
        const { done, value } = task.run.next();
        if (task.exitCode !== undefined) return void task.run.return(task.exitCode); // by its own signal
        if (done) return void this.end(task, value);
        task.wait = value;
        budget.left -= stepCost;
        if (value.at === "call") return void this.#call(task, value.done);
        if (value.at !== "step") return;
        const cost = 1 + (value.bytes ?? 0) / (bytesPerStep * task.byteRate);
        budget.left -= cost;
        if (this.#isTooFast(task, cost) || budget.left <= 0) return;
      }
    } catch (error) {
      if (!(error instanceof BrokenPipe || error instanceof TooManyTasks)) throw error;
      this.end(task, error instanceof BrokenPipe ? 141 : 2);
    } finally {
      this.#current = undefined;
    }
  }

  /** A process that has done all that it may do in a second waits for the next one. */
  #isTooFast(task: MachineTask, cost: number): boolean {
    if (task.sort === "agent") return false;
    if (this.nowMs - task.secondMs >= 1_000) {
      task.secondMs = this.nowMs;
      task.steps = 0;
    }
    task.steps += cost;
    if (task.steps < stepsPerSecondMax) return false;
    // A single step may be worth several seconds.
    task.secondMs += 1_000 * Math.floor(task.steps / stepsPerSecondMax);
    task.steps %= stepsPerSecondMax;
    task.dueMs = task.secondMs;
    return true;
  }

  #call(task: MachineTask, done: Promise<unknown>): void {
    const goOn = () => {
      task.wait = { at: "step" };
      this.wake();
    };
    done.then(goOn, goOn);
  }
}

/** What each wait counts beside its steps, so that none is free. */
const stepCost = 0.1;
