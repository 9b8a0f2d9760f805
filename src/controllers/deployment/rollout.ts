/** The writes that one pass over a Deployment collects: each replica set is written at most once. */

import type { Deployment, DeploymentStatus } from "../../api/apps/v1/deployment.ts";
import type { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import type { PlannedEvent } from "../plan.ts";
import { sizeAnnotations } from "./annotations.ts";
import type { DeploymentKeys } from "./keys.ts";
import { size } from "./replica-sets.ts";

export interface SetWrite {
  readonly verb: "create" | "update" | "delete";
  readonly set: ReplicaSet;
  /** Recorded once the write has succeeded. */
  readonly events: readonly PlannedEvent[];
}

export interface DeploymentPlan {
  /** In this order; a failure ends the plan. */
  readonly sets: readonly SetWrite[];
  /** For a rollback: the whole Deployment with another template. */
  readonly replacement?: Deployment;
  /** With the revision among the annotations, which is written together with the status. */
  readonly status?: Deployment;
  readonly events: readonly PlannedEvent[];
  /** When to look again without an event. */
  readonly reviewInMs?: number;
}

export interface RolloutContext {
  readonly keys: DeploymentKeys;
  readonly nowMs: number;
  /** What the owner reference of a new replica set names: "apps/v1" and "Deployment". */
  readonly owner: { readonly apiVersion: string; readonly kind: string };
}

/** The state of the pass: the Deployment and its sets as they will be after the writes collected so far. */
export class Rollout {
  readonly context: RolloutContext;
  readonly deployment: Deployment;
  /** As changed so far. */
  status: DeploymentStatus;
  annotations: Record<string, string>;
  readonly events: PlannedEvent[] = [];
  readonly #writes = new Map<string, { verb: SetWrite["verb"]; set: ReplicaSet; events: PlannedEvent[] }>();

  constructor(deployment: Deployment, context: RolloutContext) {
    this.deployment = deployment;
    this.context = context;
    this.status = deployment.status ?? {};
    this.annotations = { ...deployment.metadata.annotations };
  }

  get writes(): SetWrite[] {
    return [...this.#writes.values()];
  }

  /** The newest state of a set that was read before. */
  current(set: ReplicaSet): ReplicaSet {
    return this.#writes.get(set.metadata.name ?? "")?.set ?? set;
  }

  write(verb: SetWrite["verb"], set: ReplicaSet, event?: PlannedEvent): ReplicaSet {
    const name = set.metadata.name ?? "";
    const known = this.#writes.get(name);
    const events = [...(known?.events ?? []), ...(event === undefined ? [] : [event])];
    this.#writes.set(name, { verb: known?.verb === "create" ? "create" : verb, set, events });
    return set;
  }

  /** Also updates the annotations with the sizes; true: the number of pods changes. */
  scale(given: ReplicaSet, replicas: number): boolean {
    const set = this.current(given);
    const sizes = sizeAnnotations(this.deployment, this.context.keys);
    const changes = size(set) !== replicas;
    const annotated = Object.entries(sizes).every(([key, value]) => set.metadata.annotations?.[key] === value);
    if (!changes && annotated) return false;
    const next: ReplicaSet = {
      ...set,
      metadata: { ...set.metadata, annotations: { ...set.metadata.annotations, ...sizes } },
      spec: { ...set.spec, replicas },
    };
    const direction = size(set) < replicas ? "up" : "down";
    const message = `Scaled ${direction} replica set ${set.metadata.name} to ${replicas}`;
    this.write("update", next, changes ? { type: "Normal", reason: "ScalingReplicaSet", message } : undefined);
    return changes;
  }
}
