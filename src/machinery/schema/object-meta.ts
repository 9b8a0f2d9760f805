/** The metadata that every object carries. */

import type { Static } from "./build.ts";
import { bool, elided, int64, json, list, map, optional, string, struct, time } from "./build.ts";

const OwnerReferenceStruct = struct(
  "meta.v1.OwnerReference",
  {
    apiVersion: string().at(5).doc("Group and version of the owner."),
    kind: string().at(1).doc("Kind of the owner."),
    name: string().at(3).doc("Name of the owner."),
    uid: string().at(4).doc("Identity of the owner."),
    controller: optional(bool()).at(6).doc("Whether it is the one that manages this object."),
    blockOwnerDeletion: optional(bool())
      .at(7)
      .doc("Whether an owner that is deleted in the foreground waits for this object to go."),
  },
  { doc: "Names an object that this one depends on; when all owners are gone, this one goes too." },
);

const ManagedFieldsEntryStruct = struct(
  "meta.v1.ManagedFieldsEntry",
  {
    manager: elided(string()).at(1),
    operation: elided(string()).at(2),
    apiVersion: elided(string()).at(3),
    time: optional(time()).at(4),
    fieldsType: elided(string()).at(6),
    fieldsV1: optional(json("fields")).at(7),
  },
  { doc: "Which fields one manager owns, in one version of the object." },
);

export const ObjectMetaStruct = struct(
  "meta.v1.ObjectMeta",
  {
    name: elided(string()).at(1).doc("Unique among objects of the kind in the namespace; cannot be changed."),
    generateName: elided(string()).at(2).doc("A prefix from which the server makes a unique name when none is given."),
    namespace: elided(string()).at(3).doc("The namespace the object lives in; empty for cluster-wide kinds."),
    selfLink: elided(string()).at(4).doc("Not set any more."),
    uid: elided(string()).at(5).doc("Identity over time: another object of the same name has another uid."),
    resourceVersion: elided(string()).at(6).doc("Changes with every write; pass it back to update only what was read."),
    generation: elided(int64()).at(7).doc("Counts changes of the desired state."),
    creationTimestamp: elided(time()).at(8).doc("When the server made the object."),
    deletionTimestamp: optional(time()).at(9).doc("When set, the object is on its way out."),
    deletionGracePeriodSeconds: optional(int64())
      .at(10)
      .doc("How long it may take to end; set with deletionTimestamp, and can only become shorter."),
    labels: elided(map(string())).at(11).doc("Short texts to select objects by."),
    annotations: elided(map(string())).at(12).doc("Texts for tools and people; not selectable."),
    ownerReferences: elided(list(OwnerReferenceStruct, { patchStrategy: "merge", patchMergeKey: "uid" }))
      .at(13)
      .doc("The objects this one depends on."),
    finalizers: elided(list(string(), { patchStrategy: "merge" }))
      .at(14)
      .doc("Who must still clean up before the object may vanish."),
    clusterName: elided(string()).at(15).doc("Not used."),
    managedFields: elided(list(ManagedFieldsEntryStruct)).at(17).doc("Who owns which fields; kept by the server."),
  },
  { doc: "What every object carries besides its own fields." },
);

export type ObjectMeta = Static<typeof ObjectMetaStruct>;
export type OwnerReference = Static<typeof OwnerReferenceStruct>;
export type ManagedFieldsEntry = Static<typeof ManagedFieldsEntryStruct>;
