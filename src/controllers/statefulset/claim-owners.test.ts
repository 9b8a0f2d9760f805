import { describe, expect, test } from "vitest";
import type { StatefulSet } from "../../api/apps/v1/stateful-set.ts";
import type { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import type { OwnerReference } from "../../machinery/schema/object-meta.ts";
import { claimOwnerWrites } from "./claim-owners.ts";

const reference = (kind: string, name: string, uid: string, controller = true): OwnerReference => ({
  apiVersion: kind === "Pod" ? "v1" : "apps/v1",
  kind,
  name,
  uid,
  ...(controller ? { controller, blockOwnerDeletion: true } : {}),
});
const ofSet = reference("StatefulSet", "web", "set-uid");
const ofPod = reference("Pod", "web-3", "pod-uid");
const other = reference("Toy", "t", "toy-uid");
const friend = reference("Toy", "t", "toy-uid", false);

/** The owners after a pass over the pod web-3 of a set with `replicas`; undefined: nothing is written. */
function ownersAfter(whenScaled: string, whenDeleted: string, replicas: number, before: OwnerReference[]) {
  const set: StatefulSet = {
    metadata: { name: "web", namespace: "ns", uid: "set-uid" },
    spec: {
      replicas,
      serviceName: "web",
      selector: {},
      template: { spec: { containers: [] } },
      volumeClaimTemplates: [{ metadata: { name: "data" } }],
      persistentVolumeClaimRetentionPolicy: { whenScaled, whenDeleted },
    },
  };
  const pods = [{ metadata: { name: "web-3", namespace: "ns", uid: "pod-uid" } }];
  const claimOf = (): PersistentVolumeClaim => ({ metadata: { name: "data-web-3", ownerReferences: before } });
  const [write] = claimOwnerWrites({ set, owner: ofSet, pods, claimOf });
  return write?.call.verb === "update" ? write.call.object.metadata.ownerReferences : undefined;
}

describe("the claim of a pod", () => {
  const [keep, drop] = ["Retain", "Delete"];
  const cases = [
    { why: "has no owner where all are kept", policy: [keep, keep], replicas: 5, before: [ofSet], after: [] },
    { why: "stays unwritten where it is right", policy: [keep, keep], replicas: 5, before: [other], after: undefined },
    { why: "goes with the set", policy: [keep, drop], replicas: 5, before: [friend], after: [friend, ofSet] },
    { why: "goes with the set after a scale too", policy: [keep, drop], replicas: 1, before: [], after: [ofSet] },
    { why: "goes with a pod that is too many", policy: [drop, keep], replicas: 1, before: [], after: [ofPod] },
    { why: "has no owner while its pod is needed", policy: [drop, keep], replicas: 5, before: [ofPod], after: [] },
    { why: "goes with the pod before the set", policy: [drop, drop], replicas: 1, before: [ofSet], after: [ofPod] },
    { why: "goes with the set again", policy: [drop, drop], replicas: 5, before: [ofPod], after: [ofSet] },
    {
      why: "gets the set as controller if it was a mere owner",
      policy: [keep, drop],
      replicas: 5,
      before: [reference("StatefulSet", "web", "set-uid", false)],
      after: [ofSet],
    },
    {
      why: "of another controller stays its own",
      policy: [drop, drop],
      replicas: 5,
      before: [other],
      after: undefined,
    },
    { why: "has one controller", policy: [drop, drop], replicas: 5, before: [other, ofSet], after: [other] },
    {
      why: "of an earlier set of the name is left to the garbage collector",
      policy: [drop, drop],
      replicas: 5,
      before: [reference("StatefulSet", "web", "earlier")],
      after: undefined,
    },
    {
      why: "of an earlier pod of the name is left to the garbage collector",
      policy: [keep, keep],
      replicas: 5,
      before: [reference("Pod", "web-3", "earlier")],
      after: undefined,
    },
  ];
  for (const { why, policy, replicas, before, after } of cases)
    test(why, () => expect(ownersAfter(policy[0] ?? "", policy[1] ?? "", replicas, before)).toEqual(after));
});
