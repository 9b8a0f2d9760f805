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
  const { pods, clock, stages, commands, reports, amounts, pullFails, positionOf, isUnready, roomBeside } = options;
  const byAddress = pods.index("address", ({ status }) => (status?.podIP ? [status.podIP] : []));
  const addresses = new PodAddresses();
  const times = new ExactTimes();
  const events = new PodEvents(clock);
  const taken = new TakenPods();
  /** The uids of deleted pods for which the Killing Event was written. */
  const stopping = new Set<string>();
  /** The resourceVersion that the newest write of a pod began from, as long as the informer shows it. */
  const writtenFrom = new Map<string, string>();
  /** When pods that have not been started yet were seen, by uid. */
  const seen = new Map<string, number>();
  /** The uids of pods for which it was told that a volume cannot be shown. */
  const unmounted = new Set<string>();
  const note = (pod: Pod) => {
    const {
      metadata: { uid = "" },
      spec,
      status,
    } = pod;
    taken.note(pod);
    if (status?.startTime != null) seen.delete(uid);
    else if (!seen.has(uid) && positionOf(spec?.nodeName ?? "") !== undefined) seen.set(uid, clock.now());
  };
  pods.on({
    add: note,
    update: note,
    delete(pod) {
      times.forget(pod.metadata.uid ?? "");
      seen.delete(pod.metadata.uid ?? "");
      taken.release(pod.metadata.uid ?? "");
      stopping.delete(pod.metadata.uid ?? "");
      writtenFrom.delete(keyOf(pod));
      unmounted.delete(pod.metadata.uid ?? "");
      commands.forget(pod.metadata.uid ?? "");
    },
  });
  /** A pod waits for its volumes before its first container is started. */
  const waitsForVolume = (pod: Pod): Plan | undefined => {
    const { uid = "" } = pod.metadata;
    const missing = pod.status?.startTime == null || pod.status.podIP ? undefined : commands.missingVolume(pod);
    if (missing === undefined) return undefined;
    const message = `MountVolume.SetUp failed for volume "${missing.volume}" : ${missing.message}`;
    const event = { type: "Warning", reason: "FailedMount", message } as const;
    const isTold = unmounted.has(uid);
    unmounted.add(uid);
    return { about: pod, reviewInMs: volumeRetryMs, events: isTold ? [] : [event] };
  };
  const sync: PodSync = (key) => {
    const pod = pods.get(key);
    const position = positionOf(pod?.spec?.nodeName ?? "");
    if (pod === undefined || position === undefined) return undefined;
    const { uid = "", resourceVersion = "" } = pod.metadata;
    // What was written is not seen yet: the change that will show it calls this again.
    if (writtenFrom.get(key) === resourceVersion) return undefined;
    writtenFrom.delete(key);
    const reading = commands.prepare(pod);
    if (reading !== undefined) return reading.then(() => sync(key));
    const declared = behaviourOf(stages.declared(pod));
    const behaviour = { ...declared, pullFails: [...declared.pullFails, ...pullFails] };
    const context: PodContext = {
      nowMs: clock.now(),
      seenMs: commands.missingVolume(pod) === undefined ? seen.get(uid) : undefined,
      times: times.of(uid),
      behaviour: isUnready(pod.spec?.nodeName ?? "") ? { ...behaviour, neverReady: true } : behaviour,
      stages: stages.of(pod),
      commands: commands.of(pod),
      takeAddress: () =>
        pod.spec?.hostNetwork ? nodeAddress(position) : addresses.take((address) => byAddress.count(address) > 0),
      hostIP: nodeAddress(position),
      resizeRoom: () => roomBeside(pod),
      refusal: () => refusalOf(pod, taken.on(pod.spec?.nodeName ?? ""), amounts),
      reports,
    };
    if (pod.metadata.deletionTimestamp != null) {
      const isTold = stopping.has(uid);
      stopping.add(uid);
      const told = isTold ? [] : events.of(pod, stopEventsOf(pod));
      const ends = commands.stop(pod, context);
      const waitMs = stopInMs(pod, context, ends);
      if (waitMs > 0) return { reviewInMs: waitMs, events: told };
      if (ends === undefined || hasStopped(pod)) return { writes: [removal(pod, 0)], events: told };
      const status = stoppedStatus(pod, ends, context);
      return {
        status: updateStatus(Pod, { ...pod, status }, { tolerates: ["NotFound", "Conflict"], ignoresAnswer: true }),
        events: told,
        next: () => ({ writes: [removal(pod, 0)] }),
      };
    }
    const unready = waitsForVolume(pod);
    if (unready !== undefined) return unready;
    const containers = (pod.spec?.containers.length ?? 0) + (pod.spec?.initContainers?.length ?? 0);
    const step = run(nextStep(pod, context), containers > containersPerStep ? new TimeSlice() : undefined);
    if (!(step instanceof Promise)) return carryOut(pod, key, step);
    // It may be deleted meanwhile, and is forgotten then.
    return step.then((next) => (pods.get(key)?.metadata.uid === uid ? carryOut(pod, key, next) : undefined));
  };
  const carryOut = (pod: Pod, key: string, step: LifeStep): Plan => {
    const { uid = "", resourceVersion = "" } = pod.metadata;
    const told = commands.takeEvents(pod);
    if (step.at === "rest") return { reviewInMs: step.reviewInMs, events: events.of(pod, told) };
    if (step.at === "delete") return { writes: [removal(pod)] };
    times.record(uid, step.times);
    // Before the informer shows it, so that the next pod is not taken in its place.
    taken.note({ ...pod, status: step.status });
    return {
      about: pod,
      status: updateStatus(Pod, { ...pod, status: step.status }, { tolerates: ["NotFound"], ignoresAnswer: true }),
      events: events.of(pod, [...told, ...step.events]),
      next: () => {
        if (pods.get(key)?.metadata.resourceVersion === resourceVersion) writtenFrom.set(key, resourceVersion);
        return undefined;
      },
    };
  };
  return sync;
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
