/** References from one object to another. */

import { elided, nullable, optional, type Static, string, struct } from "../../../machinery/schema/build.ts";

export const LocalObjectReference = struct(
  "core.v1.LocalObjectReference",
  {
    name: elided(string()).at(1).doc("The name of the object in the same namespace."),
  },
  { from: { "1.22": { topology: "atomic" } } },
);
export type LocalObjectReference = Static<typeof LocalObjectReference>;

export const ObjectReference = struct(
  "core.v1.ObjectReference",
  {
    kind: elided(string()).at(1).doc("The kind of the object, such as Pod."),
    namespace: elided(string()).at(2).doc("The namespace of the object."),
    name: elided(string()).at(3).doc("The name of the object."),
    uid: elided(string()).at(4).doc("The uid of the object. Absent: any object of the name."),
    apiVersion: elided(string()).at(5).doc("The API version of the object."),
    resourceVersion: elided(string()).at(6).doc("The resourceVersion of the object that is meant."),
    fieldPath: elided(string()).at(7).doc("A part of the object, such as spec.containers{web}."),
  },
  { from: { "1.22": { topology: "atomic" } } },
);
export type ObjectReference = Static<typeof ObjectReference>;

export const SecretReference = struct(
  "core.v1.SecretReference",
  {
    name: elided(string()).at(1).doc("The name of the secret."),
    namespace: elided(string()).at(2).doc("The namespace of the secret."),
  },
  { from: { "1.22": { topology: "atomic" } } },
);
export type SecretReference = Static<typeof SecretReference>;

export const TypedLocalObjectReference = struct(
  "core.v1.TypedLocalObjectReference",
  {
    apiGroup: nullable(string()).at(1).doc("The API group of the object. Absent: the core group."),
    kind: string().at(2).doc("The kind of the object, such as Pod."),
    name: string().at(3).doc("The name of the object."),
  },
  { from: { "1.22": { topology: "atomic" } } },
);
export type TypedLocalObjectReference = Static<typeof TypedLocalObjectReference>;

export const TypedObjectReference = struct("core.v1.TypedObjectReference", {
  apiGroup: nullable(string()).at(1).listed(false).doc("The API group of the object. Absent: the core group."),
  kind: string().at(2).doc("The kind of the object, such as PersistentVolumeClaim."),
  name: string().at(3).doc("The name of the object."),
  namespace: optional(string()).at(4).doc("The namespace of the object. Absent: the same namespace."),
});
export type TypedObjectReference = Static<typeof TypedObjectReference>;
