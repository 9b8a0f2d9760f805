/** What the agents do about one pod: the next step of its life, as a plan. */

import { Pod } from "../api/core/v1/pod.ts";
import type { Clock } from "../base/clock.ts";
import { run, TimeSlice } from "../base/time-slice.ts";
import type { Informer } from "../client/informer/contract.ts";
import { keyOf } from "../client/informer/keys.ts";
import { type Plan, remove, updateStatus } from "../controllers/plan.ts";
import { nodeAddress, PodAddresses } from "./addresses.ts";
import type { SimulatedCommands } from "./containers/simulated-commands.ts";
import { behaviourOf } from "./life/behaviour.ts";
import { stopEvent } from "./life/container-events.ts";
import type { PodContext } from "./life/context.ts";
import { ExactTimes } from "./life/exact-times.ts";
import { containersPerStep } from "./life/pod-containers.ts";
import { hasStopped, type LifeStep, nextStep, stopInMs, stoppedStatus } from "./life/pod-life.ts";
import { type NodeAmounts, refusalOf } from "./life/refusal.ts";
import type { ResizeRoom } from "./life/resize.ts";
import { PodEvents } from "./pod-events.ts";
import { PodMemory } from "./pod-memory.ts";
import type { SimulationStages } from "./stages/stages.ts";
import { TakenPods } from "./taken-pods.ts";

interface PodSyncOptions {
  readonly pods: Informer<Pod>;
  readonly clock: Clock;
  readonly stages: SimulationStages;
  readonly commands: SimulatedCommands;
  readonly reports: boolean;
  /** What each node has. */
  readonly amounts: NodeAmounts;
  /** Patterns of images that no node can pull. */
  readonly pullFails: readonly string[];
  /** What there is on the node of the pod, and what its other pods request. */
  roomBeside(pod: Pod): ResizeRoom;
  /** Undefined: the node is not simulated here, or does not work. */
  positionOf(node: string): number | undefined;
  /** Whether the node says that it is not ready: then its pods are not either, as the node lifecycle controller marks them. */
  isUnready(node: string): boolean;
}

/** How soon a pod is tried again whose volumes cannot be shown. */
const volumeRetryMs = 5_000;

type PodSync = (key: string) => Plan | undefined | Promise<Plan | undefined>;

export function createPodSync(options: PodSyncOptions): PodSync {
  const agents = new PodAgents(options);
  return (key) => agents.sync(key);
}

/**
 * The agents of all nodes. What they know of a pod beside its status tells only what would be told or written twice: agents that are
 * started again go on from the status.
 */
class PodAgents {
  readonly #options: PodSyncOptions;
  readonly #addresses = new PodAddresses();
  readonly #isUsed: (address: string) => boolean;
  readonly #times = new ExactTimes();
  readonly #events: PodEvents;
  readonly #taken = new TakenPods();
  readonly #memory = new PodMemory();

  constructor(options: PodSyncOptions) {
    const { pods, clock, commands } = options;
    this.#options = options;
    this.#events = new PodEvents(clock);
    const byAddress = pods.index("address", ({ status }) => (status?.podIP ? [status.podIP] : []));
    this.#isUsed = (address) => byAddress.count(address) > 0;
    const note = (pod: Pod) => this.#note(pod);
    pods.on({
      add: note,
      update: note,
      delete: (pod) => {
        const { uid = "" } = pod.metadata;
        this.#times.forget(uid);
        this.#taken.release(uid);
        this.#memory.forget(uid, keyOf(pod));
        commands.forget(uid);
      },
    });
  }

  #note(pod: Pod): void {
    const { metadata, spec, status } = pod;
    const { uid = "" } = metadata;
    this.#taken.note(pod);
    if (status?.startTime != null) this.#memory.forgetSeen(uid);
    else if (this.#options.positionOf(spec?.nodeName ?? "") !== undefined)
      this.#memory.noteSeen(uid, this.#options.clock.now());
  }

  sync(key: string): Plan | undefined | Promise<Plan | undefined> {
    const { pods, commands, positionOf } = this.#options;
    const pod = pods.get(key);
    const position = positionOf(pod?.spec?.nodeName ?? "");
    if (pod === undefined || position === undefined) return undefined;
    // What was written is not seen yet: the change that will show it calls this again.
    if (this.#memory.awaitsWrite(key, pod.metadata.resourceVersion ?? "")) return undefined;
    const reading = commands.prepare(pod);
    if (reading !== undefined) return reading.then(() => this.sync(key));
    const context = this.#contextOf(pod, position);
    if (pod.metadata.deletionTimestamp != null) return this.#stop(pod, context);
    return this.#waitForVolume(pod) ?? this.#step(pod, key, context);
  }

  #contextOf(pod: Pod, position: number): PodContext {
    const { clock, stages, commands, reports, amounts, pullFails, isUnready, roomBeside } = this.#options;
    const { uid = "" } = pod.metadata;
    const node = pod.spec?.nodeName ?? "";
    const declared = behaviourOf(stages.declared(pod));
    const behaviour = { ...declared, pullFails: [...declared.pullFails, ...pullFails] };
    return {
      nowMs: clock.now(),
      seenMs: commands.missingVolume(pod) === undefined ? this.#memory.seenMs(uid) : undefined,
      times: this.#times.of(uid),
      behaviour: isUnready(node) ? { ...behaviour, neverReady: true } : behaviour,
      stages: stages.of(pod),
      commands: commands.of(pod),
      takeAddress: () => (pod.spec?.hostNetwork ? nodeAddress(position) : this.#addresses.take(this.#isUsed)),
      hostIP: nodeAddress(position),
      resizeRoom: () => roomBeside(pod),
      refusal: () => refusalOf(pod, this.#taken.on(node), amounts),
      reports,
    };
  }

  /** Of a pod that is being deleted: its containers end within the grace period, then it is removed. */
  #stop(pod: Pod, context: PodContext): Plan {
    const isTold = this.#memory.tellStop(pod.metadata.uid ?? "");
    const events = isTold ? [] : this.#events.of(pod, stopEventsOf(pod));
    const ends = this.#options.commands.stop(pod, context);
    const waitMs = stopInMs(pod, context, ends);
    if (waitMs > 0) return { reviewInMs: waitMs, events };
    if (ends === undefined || hasStopped(pod)) return { writes: [removal(pod, 0)], events };
    const status = stoppedStatus(pod, ends, context);
    return {
      status: updateStatus(Pod, { ...pod, status }, { tolerates: ["NotFound", "Conflict"], ignoresAnswer: true }),
      events,
      next: () => ({ writes: [removal(pod, 0)] }),
    };
  }

  /** A pod waits for its volumes before its first container is started. */
  #waitForVolume(pod: Pod): Plan | undefined {
    const isStarting = pod.status?.startTime != null && !pod.status.podIP;
    const missing = isStarting ? this.#options.commands.missingVolume(pod) : undefined;
    if (missing === undefined) return undefined;
    const message = `MountVolume.SetUp failed for volume "${missing.volume}" : ${missing.message}`;
    const event = { type: "Warning", reason: "FailedMount", message } as const;
    const isTold = this.#memory.tellVolume(pod.metadata.uid ?? "");
    return { about: pod, reviewInMs: volumeRetryMs, events: isTold ? [] : [event] };
  }

  #step(pod: Pod, key: string, context: PodContext): Plan | Promise<Plan | undefined> {
    const { uid } = pod.metadata;
    const containers = (pod.spec?.containers.length ?? 0) + (pod.spec?.initContainers?.length ?? 0);
    const step = run(nextStep(pod, context), containers > containersPerStep ? new TimeSlice() : undefined);
    if (!(step instanceof Promise)) return this.#carryOut(pod, key, step);
    // It may be deleted meanwhile, and is forgotten then.
    const isSame = () => this.#options.pods.get(key)?.metadata.uid === uid;
    return step.then((next) => (isSame() ? this.#carryOut(pod, key, next) : undefined));
  }

  #carryOut(pod: Pod, key: string, step: LifeStep): Plan {
    const { pods, commands } = this.#options;
    const { uid = "", resourceVersion = "" } = pod.metadata;
    const told = commands.takeEvents(pod);
    if (step.at === "rest") return { reviewInMs: step.reviewInMs, events: this.#events.of(pod, told) };
    if (step.at === "delete") return { writes: [removal(pod)] };
    this.#times.record(uid, step.times);
    // Before the informer shows it, so that the next pod is not taken in its place.
    this.#taken.note({ ...pod, status: step.status });
    return {
      about: pod,
      status: updateStatus(Pod, { ...pod, status: step.status }, { tolerates: ["NotFound"], ignoresAnswer: true }),
      events: this.#events.of(pod, [...told, ...step.events]),
      next: () => {
        if (pods.get(key)?.metadata.resourceVersion === resourceVersion) this.#memory.wroteFrom(key, resourceVersion);
        return undefined;
      },
    };
  }
}

/** Only what runs is stopped. */
const stopEventsOf = ({ status }: Pod) =>
  [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].flatMap(({ name, state }) =>
    state?.running === undefined ? [] : [stopEvent(name)],
  );

/** Without a grace period its own counts. */
function removal({ metadata: { uid, namespace = "", name = "" } }: Pod, gracePeriodSeconds?: number) {
  return remove(
    Pod,
    { namespace, name },
    {
      ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
      ...(uid === undefined ? {} : { uid }),
    },
  );
}
