/** daemonset: every DaemonSet has a pod on each node that fits, of the current template. */

import { ControllerRevision } from "../../api/apps/v1/controller-revision.ts";
import { DaemonSet } from "../../api/apps/v1/daemon-set.ts";
import { Node } from "../../api/core/v1/node.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { typeOf } from "../../client/contract.ts";
import { keyOf, splitKey } from "../../client/informer/keys.ts";
import { isNamespaceTerminating } from "../../client/requests/send.ts";
import { sameValue } from "../../machinery/schema/same-value.ts";
import { labelSelectorFromObject } from "../../machinery/selectors/label-selector.ts";
import type { Controller, ControllerContext } from "../contract.ts";
import { adoptAndRelease } from "../parts/ownership/adopt.ts";
import { byController } from "../parts/ownership/by-controller.ts";
import { claim } from "../parts/ownership/claim.ts";
import { controllerRef } from "../parts/ownership/controller-ref.ts";
import { followOwned } from "../parts/ownership/follow.ts";
import { createExpectations } from "../parts/pods/expectations.ts";
import { createPodControl } from "../parts/pods/pod-control.ts";
import { slowStart } from "../parts/pods/slow-start.ts";
import { isDeleting, nextAvailableInMs } from "../parts/pods/state.ts";
import { createRevisionControl, type RevisionOwner } from "../parts/revisions/control.ts";
import { createFailedPods } from "./failed-pods.ts";
import { createDaemonHistory } from "./history.ts";
import { newPod } from "./pod.ts";
import { type DaemonInput, daemonStatus, fitOf, planDaemons, planUpdate } from "./reconcile.ts";

/** v1.21 has no flag for it. */
const workers = 2;
/** At most this many pods are created or deleted in one pass. */
const burstDaemonsMax = 250;

export const daemonSetController: Controller = {
  name: "daemonset",
  account: "daemon-set-controller",
  start: startDaemonSets,
};

function startDaemonSets(context: ControllerContext) {
  const { client, informers, clock, vocabulary } = context;
  const sets = informers.of(DaemonSet);
  const pods = informers.of(Pod);
  const nodes = informers.of(Node);
  const revisions = informers.of(ControllerRevision);
  const podsOf = byController(pods);
  const history = createDaemonHistory(createRevisionControl(client, revisions));
  const recorder = context.recorder("daemonset-controller");
  const control = createPodControl(client, recorder);
  const expectations = createExpectations(clock);
  const failedPods = createFailedPods(clock);
  const type = typeOf(sets.address);

  const queue = context.queue({
    workers,
    after: [sets, pods, nodes, revisions],
    async sync(key) {
      const set = sets.get(key);
      if (set === undefined) return expectations.forget(key);
      // Its revisions may be deleted before its pods, whose template is then unknown.
      if (isDeleting(set)) return;
      if (selectsEverything(set)) {
        const message = "This daemon set is selecting all pods. A non-empty selector is required.";
        return recorder.event(set, "Warning", "SelectingAll", message);
      }
      const owner = ownerOf(set);
      const { hash, old, collisionCount } = await history.current(set, owner);
      const isSynced = expectations.satisfied(key);
      const input: DaemonInput = {
        set,
        nodes: nodes.list(),
        pods: await claimPods(set, owner),
        hash,
        nowMs: clock.now(),
        vocabulary,
        surges: context.gates.enabled("DaemonSetUpdateSurge"),
      };
      if (isSynced) await manage(key, input);
      if (isSynced) await history.cleanUp(set, old, input.pods);
      await writeStatus(key, input, isSynced, collisionCount);
    },
  });

  const ownerOf = (set: DaemonSet): RevisionOwner => ({
    object: set,
    reference: controllerRef(set, type),
    selector: labelSelectorFromObject(set.spec?.selector),
    read: () => client.of(DaemonSet).get(splitKey(keyOf(set))),
  });

  function claimPods(set: DaemonSet, { reference, selector, read }: RevisionOwner): Promise<Pod[]> {
    const claims = claim(podsOf.candidatesOf(set), { owner: set, selector });
    return adoptAndRelease(claims, { client: client.of(Pod), owner: reference, readOwner: read });
  }

  async function manage(key: string, input: DaemonInput): Promise<void> {
    const { set, hash } = input;
    const plan = planDaemons(input);
    const doomed = [...plan.delete];
    for (const { pod, node } of plan.failed) {
      const waitMs = failedPods.waitMs(`${set.metadata.uid} ${node}`);
      if (waitMs > 0) {
        queue.addAfter(key, waitMs);
        continue;
      }
      const message = `Found failed daemon pod ${keyOf(pod)} on node ${node}, will try to kill it`;
      recorder.event(set, "Warning", "FailedDaemonPod", message);
      doomed.push(pod);
    }
    await change(key, set, plan.create, doomed, hash);
    if (plan.create.length > 0 || doomed.length > 0) return;
    const update = planUpdate(input);
    await change(key, set, update.create, update.delete, hash);
  }

  async function change(key: string, set: DaemonSet, create: readonly string[], remove: readonly Pod[], hash: string) {
    const targets = create.slice(0, burstDaemonsMax);
    const doomed = remove.slice(0, burstDaemonsMax);
    if (targets.length > 0) expectations.expectCreations(key, targets.length);
    if (doomed.length > 0) expectations.expectDeletions(key, doomed.map(keyOf));
    const options = { owner: controllerRef(set, type), hash, vocabulary };
    const { done, error } = await slowStart(targets.length, async (index) => {
      await control.create(set, newPod(set, targets[index] ?? "", options));
    });
    for (let missing = targets.length - done; missing > 0; missing--) expectations.creationObserved(key);
    const outcomes = await Promise.allSettled(doomed.map((pod) => deletePod(key, set, pod)));
    const failed = outcomes.find((outcome) => outcome.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    if (error !== undefined && !isNamespaceTerminating(error)) throw error;
  }

  async function deletePod(key: string, set: DaemonSet, pod: Pod): Promise<void> {
    try {
      await control.delete(set, pod, "it has ended, is out of date, or its node is not to run it or runs another");
    } catch (error) {
      expectations.deletionObserved(key, keyOf(pod));
      throw error;
    }
    if (pods.get(keyOf(pod))?.metadata.uid !== pod.metadata.uid) expectations.deletionObserved(key, keyOf(pod));
  }

  async function writeStatus(key: string, input: DaemonInput, seen: boolean, collisionCount: number | undefined) {
    const { set } = input;
    const status = daemonStatus(input, seen, collisionCount);
    if (!sameValue(set.status, status)) await client.of(DaemonSet).updateStatus({ ...set, status });
    const inMs = nextAvailableInMs(input.pods, set.spec?.minReadySeconds ?? 0, clock.now());
    if (inMs !== undefined) queue.addAfter(key, inMs);
  }

  sets.on({
    add: (set) => queue.add(keyOf(set)),
    update: (set) => queue.add(keyOf(set)),
    delete(set) {
      expectations.forget(keyOf(set));
    },
  });
  followOwned({
    objects: pods,
    owners: sets,
    selectorOf: (set) => labelSelectorFromObject(set.spec?.selector),
    expectations,
    changed: (key) => queue.add(key),
  });
  const tellAll = (concerns: (set: DaemonSet) => boolean) => {
    for (const set of sets.list()) if (concerns(set)) queue.add(keyOf(set));
  };
  nodes.on({
    add: (node) => tellAll((set) => fitOf(set, node, vocabulary).runs),
    update(node, old) {
      const facts = ({ metadata, spec }: Node) => [metadata.labels, spec?.taints, spec?.unschedulable];
      if (sameValue(facts(node), facts(old))) return;
      tellAll((set) => !sameValue(fitOf(set, node, vocabulary), fitOf(set, old, vocabulary)));
    },
    delete: () => tellAll(() => true),
  });
  return queue;
}

function selectsEverything({ spec }: DaemonSet): boolean {
  const { matchLabels = {}, matchExpressions = [] } = spec?.selector ?? {};
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}
