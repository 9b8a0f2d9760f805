/** The ticket of one request: its place in a level, and its effect on the metrics. */

import type { Attributes } from "../authz/contract.ts";
import type { Clock } from "../base/clock.ts";
import type { Phase, Ticket } from "./contract.ts";
import type { SchemaFlows } from "./flow.ts";
import type { Counts, FairnessMetrics, RejectReason } from "./metrics.ts";
import type { Queue, QueuedRequest } from "./queue-set.ts";
import type { Flow } from "./recent-flows.ts";

export interface TicketParts {
  readonly clock: Clock;
  readonly metrics: FairnessMetrics;
  readonly waitMsMax: number;
  /** Called when the last request of a deleted level has ended. */
  drained(): void;
}

const isReading = (verb: string) => verb === "get" || verb === "list" || verb === "watch";

export class RequestTicket implements Ticket, QueuedRequest<RequestTicket> {
  readonly request: Attributes;
  readonly flow: SchemaFlows;
  readonly distinguisher: string;
  readonly arrivedMs: number;
  readonly width: number;
  phase: Phase = "ended";

  queue: Queue<RequestTicket> | undefined;
  next: RequestTicket | undefined;
  previous: RequestTicket | undefined;
  seatedMs = 0;
  seatsHeld = 0;
  isAside = false;

  readonly #parts: TicketParts;
  readonly #kind: Counts;
  #settled: (() => void) | undefined;
  #cancelTimer: (() => void) | undefined;

  /** Enters the level at once. */
  constructor(
    parts: TicketParts,
    { schema: flow, distinguisher, hand }: Flow,
    request: Attributes,
    { nowMs, width }: { readonly nowMs: number; readonly width: number },
  ) {
    this.#parts = parts;
    this.flow = flow;
    this.request = request;
    this.arrivedMs = nowMs;
    this.width = width;
    this.#kind = isReading(request.verb) ? parts.metrics.readOnly : parts.metrics.mutating;
    const { level } = flow;
    this.distinguisher = distinguisher;
    if (level.isExempt) {
      this.seatedMs = this.arrivedMs;
      this.#execute(this.arrivedMs);
      return;
    }
    const entry = level.queueSet.enter(this, hand, this.arrivedMs);
    if (entry === "executing") {
      if (this.queue !== undefined) parts.metrics.queued(flow.metrics, this.queue.waiting + 1);
      parts.metrics.waited(flow.metrics, 0, true);
      this.#execute(this.arrivedMs);
    } else if (entry === "waiting") {
      parts.metrics.queued(flow.metrics, this.queue?.waiting ?? 1);
      this.#wait();
    } else {
      parts.metrics.waited(flow.metrics, 0, false);
      this.#reject(entry);
    }
  }

  get schemaUid(): string {
    return this.flow.uid;
  }
  get levelUid(): string {
    return this.flow.level.uid;
  }

  onSettled(callback: () => void): void {
    this.#settled = callback;
  }

  begin(nowMs: number): void {
    this.#stopWaiting(nowMs, true);
    this.#execute(nowMs);
    this.#settled?.();
  }

  end(nowMs?: number): void {
    const before = this.phase;
    if (before === "ended") return;
    this.phase = "ended";
    if (before === "rejected") return;
    const { level, metrics } = this.flow;
    const now = nowMs ?? this.#parts.clock.monotonic();
    if (before === "waiting") {
      level.queueSet.withdraw(this, now);
      this.#stopWaiting(now, false);
      metrics.rejected.cancelled.value++;
    } else {
      this.#kind.executing.add(-1, now);
      level.counts.executing.add(-1, now);
      this.#parts.metrics.executed(metrics, now - this.seatedMs);
      if (!level.isExempt) level.queueSet.leave(this, now);
    }
    if (level.isQuiescing && level.queueSet.isIdle) this.#parts.drained();
  }

  releaseSeat(): () => void {
    const { level } = this.flow;
    if (this.phase !== "executing" || level.isExempt) return nothing;
    level.queueSet.releaseSeat(this, this.#parts.clock.monotonic());
    return () => {
      if (this.phase === "executing") level.queueSet.comeBack(this);
    };
  }

  #wait(): void {
    const { clock, waitMsMax } = this.#parts;
    this.phase = "waiting";
    this.flow.metrics.inQueue.value++;
    this.#kind.waiting.add(1, this.arrivedMs);
    this.flow.level.counts.waiting.add(1, this.arrivedMs);
    this.#cancelTimer = clock.after(waitMsMax, () => this.#timeOut());
  }

  #timeOut(): void {
    const now = this.#parts.clock.monotonic();
    this.flow.level.queueSet.withdraw(this, now);
    this.#stopWaiting(now, false);
    this.#reject("time-out");
    this.#settled?.();
  }

  #stopWaiting(nowMs: number, executes: boolean): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.flow.metrics.inQueue.value--;
    this.#kind.waiting.add(-1, nowMs);
    this.flow.level.counts.waiting.add(-1, nowMs);
    this.#parts.metrics.waited(this.flow.metrics, nowMs - this.arrivedMs, executes);
  }

  #execute(nowMs: number): void {
    this.phase = "executing";
    const { metrics, level } = this.flow;
    this.#parts.metrics.begun(metrics);
    this.#kind.executing.add(1, nowMs);
    level.counts.executing.add(1, nowMs);
  }

  #reject(reason: RejectReason): void {
    this.phase = "rejected";
    this.flow.metrics.rejected[reason].value++;
  }
}

const nothing = () => {};
