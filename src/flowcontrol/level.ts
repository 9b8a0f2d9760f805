/** One priority level at work: its seats and queues, and how much of the server is its own. */

import type { PriorityLevelConfigurationSpec } from "../api/flowcontrol/v1beta1/priority-level-spec.ts";
import type { Counts, FairnessMetrics } from "./metrics.ts";
import { QueueSet } from "./queue-set.ts";
import type { RequestTicket } from "./request-ticket.ts";

export class PriorityLevel {
  readonly name: string;
  readonly queueSet: QueueSet<RequestTicket>;
  readonly counts: Counts;
  readonly #metrics: FairnessMetrics;
  /** "": the level is mandatory and its object is missing. */
  uid = "";
  #spec: PriorityLevelConfigurationSpec;
  // Read by every request, so they are not looked up in the specification each time.
  #isExempt = false;
  #queues = 0;
  #handSize = 1;
  /** The object was deleted; the level stays until its last request has ended. */
  isQuiescing = false;

  constructor(
    name: string,
    spec: PriorityLevelConfigurationSpec,
    parts: { readonly metrics: FairnessMetrics; readonly total: { waiting: number } },
  ) {
    this.name = name;
    this.#spec = spec;
    this.spec = spec;
    this.#metrics = parts.metrics;
    this.queueSet = new QueueSet(parts.total);
    this.counts = parts.metrics.ofLevel(name);
  }

  get spec(): PriorityLevelConfigurationSpec {
    return this.#spec;
  }
  set spec(spec: PriorityLevelConfigurationSpec) {
    const { limitResponse } = spec.limited ?? {};
    this.#spec = spec;
    this.#isExempt = spec.type === "Exempt";
    this.#queues = limitResponse?.type === "Queue" ? (limitResponse.queuing?.queues ?? 0) : 0;
    this.#handSize = limitResponse?.queuing?.handSize ?? 1;
  }

  get isExempt(): boolean {
    return this.#isExempt;
  }

  /** 0: the level is exempt and takes nothing from others. */
  get shares(): number {
    return this.isExempt ? 0 : (this.spec.limited?.assuredConcurrencyShares ?? 0);
  }

  get queues(): number {
    return this.#queues;
  }

  get handSize(): number {
    return this.#handSize;
  }

  setSeats(seats: number, nowMs: number): void {
    if (this.isExempt) return;
    const queueLengthMax = this.spec.limited?.limitResponse?.queuing?.queueLengthLimit ?? 0;
    const { queues } = this;
    this.counts.executing.setWhole(seats, nowMs);
    this.counts.waiting.setWhole(Math.max(1, queues * queueLengthMax), nowMs);
    this.#metrics.setLimit(this.name, seats);
    this.queueSet.configure({ seats, queues, queueLengthMax }, nowMs);
  }

  close(): void {
    this.#metrics.forgetLevel(this.counts);
  }
}
