/** A flow schema with the priority level that it names: everything a request of one of its flows needs. */

import type { FlowSchemaSpec } from "../api/flowcontrol/v1beta1/flow-schema-spec.ts";
import type { Attributes } from "../authz/contract.ts";
import type { Configured } from "./configuration.ts";
import type { PriorityLevel } from "./level.ts";
import type { FlowMetrics } from "./metrics.ts";
import { dealHand, hashFlow } from "./shuffle-shard.ts";

/** Flows of one schema whose queues are remembered. When there are more, all are forgotten and hashed again. */
export const rememberedFlowsMax = 1_024;

const onlyQueue: readonly number[] = [0];

export class SchemaFlows {
  readonly name: string;
  /** "": the schema is mandatory and its object is missing. */
  readonly uid: string;
  readonly level: PriorityLevel;
  readonly spec: FlowSchemaSpec;
  readonly metrics: FlowMetrics;
  readonly #by: string;
  readonly #levelSpec: PriorityLevel["spec"];
  readonly #hands = new Map<string, readonly number[]>();

  constructor(schema: Configured<FlowSchemaSpec>, level: PriorityLevel, metrics: FlowMetrics) {
    this.name = schema.name;
    this.uid = schema.uid;
    this.spec = schema.spec;
    this.level = level;
    this.#levelSpec = level.spec;
    this.metrics = metrics;
    this.#by = schema.spec.distinguisherMethod?.type ?? "";
  }

  /** Whether it was built from these objects, so that it need not be built again. */
  isFor(schema: Configured<FlowSchemaSpec>, level: PriorityLevel): boolean {
    return (
      this.spec === schema.spec && this.uid === schema.uid && this.level === level && this.#levelSpec === level.spec
    );
  }

  /** What distinguishes this flow from others of the schema. Levels without a choice of queues do not distinguish flows. */
  distinguisherOf({ user, namespace }: Attributes): string {
    if (this.level.queues <= 1) return "";
    return this.#by === "ByUser" ? user.name : this.#by === "ByNamespace" ? namespace : "";
  }

  /** The queues that a flow may use. */
  handOf(distinguisher: string): readonly number[] {
    const { queues, handSize } = this.level;
    if (queues <= 1) return onlyQueue;
    let hand = this.#hands.get(distinguisher);
    if (hand === undefined) {
      hand = dealHand(hashFlow(this.name, distinguisher), queues, handSize);
      if (this.#hands.size >= rememberedFlowsMax) this.#hands.clear();
      this.#hands.set(distinguisher, hand);
    }
    return hand;
  }
}
