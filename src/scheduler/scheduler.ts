/** One scheduler: what it knows of the cluster, the pods that wait, and what it has decided but not seen yet. */

import type { Node } from "../api/core/v1/node.ts";
import type { Pod } from "../api/core/v1/pod.ts";
import type { Clock } from "../base/clock.ts";
import { type Plan, whenFailed } from "../controllers/plan.ts";
import { sameValue } from "../machinery/schema/same-value.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";
import { type ClaimFacts, claimFacts, type Storage } from "./claims.ts";
import { Cluster } from "./cluster.ts";
import type { Devices, ReservedClaim } from "./devices/devices.ts";
import { reservePlan } from "./devices/reserve-plan.ts";
import type { NodeFilter } from "./filters/filter.ts";
import { filtersOf } from "./filters/list.ts";
import { type KnownPod, knownPod, podKey } from "./known-pod.ts";
import { PendingPods } from "./pending.ts";
import { bindingPlan, failurePlan, gatedPlan } from "./plans.ts";
import { comparisonsMax, type Outcome, runDecision } from "./run-decision.ts";
import { type ScheduleDecision, schedule } from "./schedule.ts";

interface SchedulerParts {
  readonly vocabulary: Vocabulary;
  readonly clock: Pick<Clock, "now">;
  /** A whole number from 0 up to, not including, `below`. */
  random(below: number): number;
  readonly storage: Storage;
  /** Undefined: the level has none. */
  readonly devices?: Devices | undefined;
  /** Whether a disruption budget that allows no disruption for now selects pods with these labels. */
  isProtected(namespace: string, labels: ReadonlyMap<string, string>): boolean;
  /** Whether conditions of pods say which generation they are about. */
  readonly tellsGeneration: boolean;
  /** Whether pods that go for another one say so in a condition. */
  readonly marksVictims: boolean;
  /** Whether pods get only nodes that declare what they need. */
  readonly readsFeatures: boolean;
}

const schedulerName = "default-scheduler";
const isFinished = ({ status }: Pod) => status?.phase === "Succeeded" || status?.phase === "Failed";
const gatesOf = ({ spec }: Pod) =>
  (spec as { schedulingGates?: readonly unknown[] } | undefined)?.schedulingGates ?? [];

/** A pod that asked for too much work is not tried again before, unless it changes. */
const spentDelayMs = 300_000;

/** Labels count too: constraints of others may be about them, and its own about itself. So do the names of claims that were made for it. */
const wantsTheSame = (a: Pod, b: Pod) =>
  a.metadata.uid === b.metadata.uid &&
  sameValue(a.spec, b.spec) &&
  sameValue(a.metadata.labels, b.metadata.labels) &&
  sameValue(a.status?.resourceClaimStatuses, b.status?.resourceClaimStatuses);

export class Scheduler {
  readonly cluster = new Cluster();
  readonly #parts: SchedulerParts;
  readonly #filters: readonly NodeFilter[];
  readonly #pending = new PendingPods();
  /** Where the next look at the nodes begins, so that all are used where not all are looked at. */
  #startAt = 0;

  constructor(parts: SchedulerParts) {
    this.#parts = parts;
    this.#filters = filtersOf(parts.vocabulary, parts.readsFeatures);
  }

  /** "pending": it wants a node. "freed": it uses nothing any more, so others may fit. */
  see(pod: Pod): "pending" | "freed" | undefined {
    const key = podKey(pod);
    const known = knownPod(pod, this.cluster.pod(key) ?? this.#pending.knownOf(key));
    const node = pod.spec?.nodeName ?? "";
    if (node !== "") {
      this.#settle(known.key);
      if (isFinished(pod)) {
        this.cluster.removePod(known.key);
        return "freed";
      }
      this.cluster.setPod(known, node);
      return undefined;
    }
    if ((pod.spec?.schedulerName ?? schedulerName) !== schedulerName) return undefined;
    if (pod.metadata.deletionTimestamp != null || isFinished(pod)) {
      this.#settle(known.key);
      return undefined;
    }
    const before = this.#pending.knownOf(known.key);
    if (before !== undefined && wantsTheSame(before.pod, pod)) {
      // Its status is what we wrote: the next try compares with it.
      this.#pending.refresh(known);
      return undefined;
    }
    this.#pending.set(known);
    return "pending";
  }

  forget(pod: Pod): void {
    const key = podKey(pod);
    this.#parts.devices?.forgetPod(pod);
    this.#settle(key);
    this.cluster.removePod(key);
  }

  /** Whether the change may let pods fit that did not. */
  seeNode(node: Node): boolean {
    const before = this.cluster.node(node.metadata.name ?? "")?.node;
    this.cluster.setNode(node);
    return (
      before === undefined ||
      !sameValue(before.spec, node.spec) ||
      !sameValue(before.metadata.labels, node.metadata.labels) ||
      !sameValue(before.status?.allocatable, node.status?.allocatable) ||
      !sameValue(before.status?.declaredFeatures, node.status?.declaredFeatures)
    );
  }

  /** Pods that found no node are tried again, each after its own delay. */
  wake(after: (key: string, delayMs: number) => void): void {
    for (const { key, delayMs } of this.#pending.delayUnscheduled()) after(key, delayMs);
  }

  /** What these pods waited for has come. */
  retryAtOnce(keys: Iterable<string>, after: (key: string, delayMs: number) => void): void {
    for (const key of keys) {
      this.#pending.retryAtOnce(key);
      after(key, 0);
    }
  }

  /** Decides about the most important pod that waits; `key` is one that may be tried again. Undefined: none waits. */
  next(key: string): Plan | undefined | Promise<Plan | undefined> {
    this.#pending.endDelay(key);
    const known = this.#pending.take();
    if (known === undefined) return undefined;
    const { clock, tellsGeneration, marksVictims } = this.#parts;
    const told = { nowMs: clock.now(), tellsGeneration, marksVictims };
    if (gatesOf(known.pod).length > 0) return gatedPlan(known, told);
    const facts = this.#factsOf(known.pod);
    if (facts === "later") {
      this.#pending.setAwaiting(known.key);
      return undefined;
    }
    if (facts.problem !== undefined) {
      this.#pending.setUnscheduled(known.key);
      const { size } = this.cluster;
      const message = size === 0 ? facts.problem : `0/${size} nodes are available: ${size} ${facts.problem}.`;
      return failurePlan(known, { message, ...told });
    }
    const steps = schedule(known, this.cluster, {
      filters: this.#filters,
      facts,
      random: this.#parts.random,
      startAt: this.#startAt,
      // Pods of lower priority may not take the place for which others were evicted.
      decide: (decideAtOnce) =>
        this.cluster.withExpected(
          ({ key: of, priority }) => of !== known.key && priority >= known.priority,
          decideAtOnce,
        ),
      isProtected: (pod) => this.#isProtected(pod),
    });
    return runDecision(steps, (decision) => this.#follow(known, facts, decision));
  }

  /** What other objects say about the pod; "later": one of them is about to come. */
  #factsOf(pod: Pod): ClaimFacts | "later" {
    const { storage, devices } = this.#parts;
    const claims = claimFacts(pod, storage);
    const needs = claims.problem === undefined ? devices?.needsOf(pod) : undefined;
    if (devices === undefined || needs === undefined) return claims;
    if (needs === "later") return needs;
    if ("problem" in needs) return { ...claims, problem: needs.problem };
    return {
      ...claims,
      devices: { needs, ask: (node) => devices.ask(needs, node), grant: (node) => devices.grant(needs, node) },
    };
  }

  /** What follows from a decision. */
  #follow(known: KnownPod, facts: ClaimFacts, decision: Outcome<ScheduleDecision>): Plan | undefined {
    const { clock, tellsGeneration, marksVictims } = this.#parts;
    const told = { nowMs: clock.now(), tellsGeneration, marksVictims };
    if (!this.#pending.isTaken(known.key)) return undefined; // it has gone or changed since
    if (decision === "spent") {
      this.#pending.setUnscheduled(known.key, spentDelayMs);
      const { size } = this.cluster;
      const message =
        `0/${size} nodes are available: ${facts.devices === undefined ? "the affinity of the pod" : "finding devices for the pod"} ` +
        `takes more than ${comparisonsMax} comparisons with the pods and nodes of the cluster; give it fewer terms.`;
      return failurePlan(known, { message, ...told });
    }
    this.#startAt += decision.checked;
    if (decision.at === "none") {
      this.#pending.setUnscheduled(known.key);
      const { message, preemption } = decision;
      if (preemption !== undefined) this.cluster.expect(known, preemption.node);
      return failurePlan(known, { message, preemption, ...told });
    }
    const reserved = this.#reserve(facts, decision.node);
    if (reserved === undefined) {
      this.#pending.putBack(known.key);
      return { failure: new Error(`another pod got the devices that ${known.key} was to have`) };
    }
    // It counts from now on, before the server shows it.
    this.cluster.setPod(known, decision.node);
    const { vocabulary, devices } = this.#parts;
    const binding = bindingPlan(known, decision.node, facts.waiting, vocabulary.word("volume.orch.io/selected-node"));
    const plan = reservePlan(
      {
        pod: known.pod,
        claims: reserved,
        finalizer: vocabulary.word("resource.orch.io/delete-protection"),
        written: (claim) => devices?.written(claim),
      },
      binding,
    );
    return whenFailed(plan, () => {
      devices?.undo(reserved);
      this.cluster.removePod(known.key);
      this.#pending.putBack(known.key);
      return undefined;
    });
  }

  /** Undefined: the node no longer has the devices; decisions that take long are not made in one turn. */
  #reserve({ devices: asked }: ClaimFacts, nodeName: string): readonly ReservedClaim[] | undefined {
    const node = this.cluster.node(nodeName)?.node;
    if (asked === undefined || node === undefined) return [];
    return this.#parts.devices?.decide(asked.needs, node);
  }

  #settle(key: string): void {
    this.#pending.delete(key);
    this.cluster.expectNoLonger(key);
  }

  #isProtected({ pod, namespace, labels }: KnownPod): boolean {
    return pod.metadata.deletionTimestamp == null && this.#parts.isProtected(namespace, labels);
  }
}
