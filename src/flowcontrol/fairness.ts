/** Priority and fairness: sorts requests into flows by the flow schemas, and lets each priority level have its share of the server. */

import type { Attributes } from "../authz/contract.ts";
import { checkAnswer, checksCaches } from "../base/cache-check.ts";
import type { Clock } from "../base/clock.ts";
import type { Metric } from "../base/metrics.ts";
import type { ConfigurationSource } from "./configuration.ts";
import type { Fairness } from "./contract.ts";
import { SchemaFlows } from "./flow.ts";
import { PriorityLevel } from "./level.ts";
import { Matcher } from "./matcher.ts";
import { FairnessMetrics } from "./metrics.ts";
import { type Flow, RecentFlows } from "./recent-flows.ts";
import { RequestTicket, type TicketParts } from "./request-ticket.ts";
import { divide } from "./shares.ts";

interface FairnessOptions {
  readonly source: ConfigurationSource;
  readonly clock: Clock;
  /** How many requests the server works on at once; Infinity: any number. */
  readonly seats: number;
  /** How long a request may wait in a queue. */
  readonly waitMsMax: number;
}

/** A change applies to the next request; without one, to waiting requests after this time. */
const applyMs = 10;

export class PriorityAndFairness implements Fairness {
  readonly metrics: readonly Metric[];
  readonly #options: FairnessOptions;
  readonly #metrics: FairnessMetrics;
  readonly #parts: TicketParts;
  readonly #levels = new Map<string, PriorityLevel>();
  readonly #total = { waiting: 0 };
  readonly #stopFollowing: () => void;
  #matcher = new Matcher<SchemaFlows>([]);
  /** By the names of their schemas. */
  #flows = new Map<string, SchemaFlows>();
  #recent = new RecentFlows();
  #isStale = true;
  #cancelTimer: (() => void) | undefined;

  constructor(options: FairnessOptions) {
    const { clock, waitMsMax } = options;
    this.#options = options;
    this.#metrics = new FairnessMetrics(clock);
    this.metrics = this.#metrics.all;
    this.#parts = { clock, metrics: this.#metrics, waitMsMax, drained: () => this.#changed() };
    this.#stopFollowing = options.source.follow(() => this.#changed());
  }

  admit(request: Attributes, nowMs = this.#options.clock.monotonic(), width = 1): RequestTicket {
    if (this.#isStale) this.#apply();
    let flow = this.#recent.find(request);
    if (flow === undefined) {
      flow = this.#findFlow(request);
      this.#recent.remember(request, flow);
    } else if (checksCaches) checkAnswer("flows", shownFlow(flow), shownFlow(this.#findFlow(request)));
    return new RequestTicket(this.#parts, flow, request, { nowMs, width });
  }

  #findFlow(request: Attributes): Flow {
    // No schema may match a user without groups; v1.21 uses catch-all then too.
    const schema = this.#matcher.find(request) ?? this.#flows.get("catch-all");
    if (schema === undefined) throw new Error("the flow schema catch-all is mandatory");
    const distinguisher = schema.distinguisherOf(request);
    return { schema, distinguisher, hand: schema.handOf(distinguisher) };
  }

  /** In the order of their names, for dumps. */
  levels(): readonly PriorityLevel[] {
    if (this.#isStale) this.#apply();
    return [...this.#levels.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  close(): void {
    this.#stopFollowing();
    this.#cancelTimer?.();
  }

  #changed(): void {
    this.#isStale = true;
    this.#cancelTimer ??= this.#options.clock.after(applyMs, () => {
      this.#cancelTimer = undefined;
      if (this.#isStale) this.#apply();
    });
  }

  #apply(): void {
    this.#isStale = false;
    this.#metrics.flush();
    const { levels, schemas } = this.#options.source.read();
    this.#applyLevels(levels);
    const before = this.#flows;
    this.#flows = new Map();
    for (const schema of schemas) {
      const level = this.#levels.get(schema.spec.priorityLevelConfiguration.name);
      // A schema whose level does not exist is dangling and matches nothing.
      if (level === undefined || level.isQuiescing) continue;
      const old = before.get(schema.name);
      const flows = old?.isFor(schema, level)
        ? old
        : new SchemaFlows(schema, level, this.#metrics.ofFlow(schema.name, level.name));
      this.#flows.set(schema.name, flows);
    }
    this.#recent = new RecentFlows();
    this.#matcher = new Matcher(
      [...this.#flows.values()].map((value) => ({ name: value.name, spec: value.spec, value })),
    );
  }

  #applyLevels(configured: ReturnType<ConfigurationSource["read"]>["levels"]): void {
    for (const { name, uid, spec } of configured.values()) {
      const level =
        this.#levels.get(name) ?? new PriorityLevel(name, spec, { metrics: this.#metrics, total: this.#total });
      level.uid = uid;
      level.spec = spec;
      this.#levels.set(name, level);
    }
    for (const level of this.#levels.values()) {
      level.isQuiescing = !configured.has(level.name);
      if (!level.isQuiescing || !level.queueSet.isIdle) continue;
      level.close();
      this.#levels.delete(level.name);
    }
    const now = this.#options.clock.monotonic();
    const levels = [...this.#levels.values()];
    const seats = divide(
      this.#options.seats,
      levels.map(({ shares }) => shares),
    );
    levels.forEach((level, at) => {
      level.setSeats(seats[at] ?? 0, now);
    });
  }
}

const shownFlow = ({ schema, distinguisher, hand }: Flow) => ({ schema: schema.name, distinguisher, hand });
