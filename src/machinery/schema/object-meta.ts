/** The metadata that every object has. */

import { bool, elided, int64, json, list, map, optional, type Static, string, struct, time } from "./build.ts";

const OwnerReferenceStruct = struct(
  "meta.v1.OwnerReference",
  {
    apiVersion: string().at(5).doc("The API version of the owner, such as apps/v1. Required."),
    kind: string().at(1).doc("The kind of the owner, such as ReplicaSet. Required."),
    name: string().at(3).doc("The name of the owner, which must be in the same namespace or cluster-wide. Required."),
    uid: string()
      .at(4)
      .doc("The uid of the owner. Required: an object of the same name with another uid is not the owner."),
    controller: optional(bool())
      .at(6)
      .doc("Whether the owner is the controller that manages this object; at most one may be. Default: false."),
    blockOwnerDeletion: optional(bool())
      .at(7)
      .doc("Whether a foreground deletion of the owner waits until this object is gone. Default: false."),
  },
  {
    doc: "Names an object that this one depends on; when all owners are deleted, this one is deleted too.",
    from: { "1.22": { topology: "atomic" } },
  },
);

const ManagedFieldsEntryStruct = struct(
  "meta.v1.ManagedFieldsEntry",
  {
    manager: elided(string())
      .at(1)
      .doc("The name of the manager that owns these fields: fieldManager of its requests, otherwise its user agent."),
    operation: elided(string()).at(2).doc("Apply or Update: the operation that created the entry."),
    apiVersion: elided(string()).at(3).doc("The API version that the fields are written in."),
    time: optional(time()).at(4).doc("When the entry was last changed."),
    fieldsType: elided(string()).at(6).doc("The format of the fields; always FieldsV1."),
    fieldsV1: optional(json("fields")).at(7).doc("The set of fields that the manager owns."),
    subresource: elided(string()).at(8).since("1.22").doc("The subresource through which the fields were written."),
  },
  { doc: "Which fields one manager owns, in one version of the object." },
);

export const ObjectMetaStruct = struct(
  "meta.v1.ObjectMeta",
  {
    name: elided(string()).at(1).doc("The name, unique among objects of the kind in the namespace; cannot be changed."),
    generateName: elided(string()).at(2).doc("A prefix from which the server makes a unique name if name is empty."),
    namespace: elided(string())
      .at(3)
      .doc("The namespace of the object; empty for cluster-scoped kinds. Cannot be changed."),
    selfLink: elided(string())
      .at(4)
      .doc("Deprecated. The path of the object, which the server no longer shows; it ignores what clients send."),
    uid: elided(string()).at(5).doc("A unique id; a new object of the same name has another one. Set by the server."),
    resourceVersion: elided(string())
      .at(6)
      .doc("Changes with every write; send it back to update only the version that was read. Opaque to clients."),
    generation: elided(int64()).at(7).doc("A number that grows when the desired state changes. Set by the server."),
    creationTimestamp: elided(time())
      .at(8)
      .from("1.34", (before) => optional(before).sent())
      .doc("CreationTimestamp is a timestamp of when the object was created. Set by the server."),
    deletionTimestamp: optional(time())
      .at(9)
      .doc("When the object will be deleted; set by the server on a delete that has to wait."),
    deletionGracePeriodSeconds: optional(int64())
      .at(10)
      .doc("Seconds the object may take to terminate; set with deletionTimestamp, can only be shortened."),
    labels: elided(map(string())).at(11).doc("Keys and values to select objects by."),
    annotations: elided(map(string())).at(12).doc("Keys and values for tools and people; cannot be selected by."),
    ownerReferences: elided(list(OwnerReferenceStruct, { patchStrategy: "merge", patchMergeKey: "uid" }))
      .at(13)
      .doc("Objects that this one depends on; it is garbage collected when they are all deleted."),
    finalizers: elided(list(string(), { patchStrategy: "merge" }))
      .at(14)
      .doc("Names of clean-up steps that must be removed before the object is deleted."),
    clusterName: elided(string()).at(15).until("1.25").doc("Deprecated. It is stored, but has no effect."),
    managedFields: elided(list(ManagedFieldsEntryStruct))
      .at(17)
      .doc("Which manager owns which fields; maintained by the server."),
  },
  { doc: "What every object carries besides its own fields." },
);

/**
 * The metadata that every object has.
 * @example
 * const metadata: ObjectMeta = { name: "web", labels: { app: "web" } };
 */
export interface ObjectMeta extends Static<typeof ObjectMetaStruct> {}
export type OwnerReference = Static<typeof OwnerReferenceStruct>;
export type ManagedFieldsEntry = Static<typeof ManagedFieldsEntryStruct>;
