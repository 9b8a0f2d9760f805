/** The metadata that every object carries. */

import type { Static } from "./build.ts";
import { bool, elided, int64, json, list, map, optional, string, struct, time } from "./build.ts";

export const OwnerReferenceStruct = struct(
  "meta.v1.OwnerReference",
  {
    apiVersion: string().at(5),
    kind: string().at(1),
    name: string().at(3),
    uid: string().at(4),
    controller: optional(bool()).at(6),
    blockOwnerDeletion: optional(bool()).at(7),
  },
  { doc: "Names an object that this one depends on; when all owners are gone, this one goes too." },
);

export const ManagedFieldsEntryStruct = struct(
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
    selfLink: elided(string()).at(4),
    uid: elided(string()).at(5).doc("Identity over time: another object of the same name has another uid."),
    resourceVersion: elided(string()).at(6).doc("Changes with every write; pass it back to update only what was read."),
    generation: elided(int64()).at(7).doc("Counts changes of the desired state."),
    creationTimestamp: elided(time()).at(8),
    deletionTimestamp: optional(time()).at(9).doc("When set, the object is on its way out."),
    deletionGracePeriodSeconds: optional(int64()).at(10),
    labels: elided(map(string())).at(11).doc("Short texts to select objects by."),
    annotations: elided(map(string())).at(12).doc("Texts for tools and people; not selectable."),
    ownerReferences: elided(list(OwnerReferenceStruct, { patchStrategy: "merge", patchMergeKey: "uid" })).at(13),
    finalizers: elided(list(string(), { patchStrategy: "merge" }))
      .at(14)
      .doc("Who must still clean up before the object may vanish."),
    clusterName: elided(string()).at(15),
    managedFields: elided(list(ManagedFieldsEntryStruct)).at(17).doc("Who owns which fields; kept by the server."),
  },
  { doc: "What every object carries besides its own fields." },
);

export type ObjectMeta = Static<typeof ObjectMetaStruct>;
export type OwnerReference = Static<typeof OwnerReferenceStruct>;
export type ManagedFieldsEntry = Static<typeof ManagedFieldsEntryStruct>;
