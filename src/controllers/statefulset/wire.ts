/** statefulset: gives every StatefulSet pods with stable names and claims, created and replaced in order. */

import { ControllerRevision } from "../../api/apps/v1/controller-revision.ts";
import { StatefulSet } from "../../api/apps/v1/stateful-set.ts";
import { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { typeOf } from "../../client/contract.ts";
import { keyOf, splitKey } from "../../client/informer/keys.ts";
import { sameValue } from "../../machinery/schema/same-value.ts";
import { labelSelectorFromObject } from "../../machinery/selectors/label-selector.ts";
import type { Controller, ControllerContext } from "../contract.ts";
import { adoptAndRelease } from "../parts/ownership/adopt.ts";
import { byController } from "../parts/ownership/by-controller.ts";
import { claim } from "../parts/ownership/claim.ts";
import { controllerRef } from "../parts/ownership/controller-ref.ts";
import { followOwned } from "../parts/ownership/follow.ts";
import { isDeleting } from "../parts/pods/state.ts";
import { createRevisionControl, type RevisionOwner } from "../parts/revisions/control.ts";
import { revisionHash } from "../parts/revisions/hash.ts";
import { planRevision, revisionData, surplusRevisions, templateOf } from "../parts/revisions/history.ts";
import { ordinalOf, revisionOf } from "./pod.ts";
import { planStatefulSet } from "./reconcile.ts";
import { createStatefulPods } from "./stateful-pods.ts";

export const statefulSetController: Controller = {
  name: "statefulset",
  account: "statefulset-controller",
  start: startStatefulSets,
};

const historyLimitDefault = 10;

function startStatefulSets(context: ControllerContext) {
  const { client, informers, vocabulary } = context;
  const sets = informers.of(StatefulSet);
  const pods = informers.of(Pod);
  const claims = informers.of(PersistentVolumeClaim);
  const revisionInformer = informers.of(ControllerRevision);
  const podsOf = byController(pods);
  const revisions = createRevisionControl(client, revisionInformer);
  const type = typeOf(sets.address);
  const nameLabel = vocabulary.word("statefulset.orch.io/pod-name");
  const hashLabel = vocabulary.word("controller.orch.io/hash");
  const recorder = context.recorder("statefulset-controller");
  const control = createStatefulPods({ client, claims, recorder, nameLabel, type });

  const queue = context.queue({
    workers: context.settings.concurrentStatefulsetSyncs,
    after: [sets, pods, claims, revisionInformer],
    async sync(key) {
      const set = sets.get(key);
      if (set === undefined) return;
      const owner = ownerOf(set);
      const [known, owned] = [await revisions.list(owner), await claimPods(set, owner)];
      await bringOn(set, owner, known, owned);
    },
  });

  const ownerOf = (set: StatefulSet): RevisionOwner => ({
    object: set,
    reference: controllerRef(set, type),
    selector: labelSelectorFromObject(set.spec?.selector),
    read: () => client.of(StatefulSet).get(splitKey(keyOf(set))),
  });

  function claimPods(set: StatefulSet, { reference, selector, read }: RevisionOwner): Promise<Pod[]> {
    const accepts = (pod: Pod) => ordinalOf(set, pod) !== undefined;
    const found = claim(podsOf.candidatesOf(set), { owner: set, selector, accepts });
    return adoptAndRelease(found, { client: client.of(Pod), owner: reference, readOwner: read });
  }

  async function bringOn(
    set: StatefulSet,
    owner: RevisionOwner,
    known: readonly ControllerRevision[],
    owned: readonly Pod[],
  ): Promise<void> {
    const { update, collisionCount } = await updateRevision(set, owner, known);
    const current = known.find(({ metadata }) => metadata.name === set.status?.currentRevision) ?? update;
    const [currentName, updateName] = [current.metadata.name ?? "", update.metadata.name ?? ""];
    const names = { current: currentName, update: updateName };
    const { steps, status } = planStatefulSet({ set, pods: owned, ...names, collisionCount, nameLabel });
    const templates = { current: templateOf(current), update: templateOf(update) };
    for (const step of steps) await control.take(set, step, { names, templates });
    if (!sameValue(set.status, status)) await client.of(StatefulSet).updateStatus({ ...set, status });
    if (isDeleting(set)) return;
    const inUse = new Set([currentName, updateName, ...owned.map(revisionOf)]);
    const limit = set.spec?.revisionHistoryLimit ?? historyLimitDefault;
    for (const revision of surplusRevisions(known, inUse, limit)) await revisions.delete(revision);
  }

  /** The revision of the current template: found, raised to the newest, or created. */
  async function updateRevision(set: StatefulSet, owner: RevisionOwner, known: readonly ControllerRevision[]) {
    const collisionCount = set.status?.collisionCount ?? 0;
    const data = revisionData(set.spec?.template);
    const plan = planRevision(known, data);
    if (plan.action === "keep") return { update: plan.revision, collisionCount };
    if (plan.action === "raise") return { update: await revisions.raise(plan.revision), collisionCount };
    const made = await revisions.create(
      owner,
      {
        data,
        number: plan.number,
        labels: { ...set.spec?.template.metadata?.labels },
        annotations: { ...set.metadata.annotations },
        hashOf(count) {
          const hash = revisionHash(data, count);
          return { hash, labels: { [hashLabel]: hash } };
        },
      },
      collisionCount,
    );
    return { update: made.revision, collisionCount: made.collisionCount };
  }

  sets.on({
    add: (set) => queue.add(keyOf(set)),
    update: (set) => queue.add(keyOf(set)),
  });
  followOwned({
    objects: pods,
    owners: sets,
    selectorOf: (set) => labelSelectorFromObject(set.spec?.selector),
    changed: (key) => queue.add(key),
  });
  return queue;
}
