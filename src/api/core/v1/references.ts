/** References from one object to another. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, nullable, string, struct } from "../../../machinery/schema/build.ts";

export const LocalObjectReference = struct("core.v1.LocalObjectReference", {
  name: elided(string()).at(1),
});
export type LocalObjectReference = Static<typeof LocalObjectReference>;

export const ObjectReference = struct("core.v1.ObjectReference", {
  kind: elided(string()).at(1),
  namespace: elided(string()).at(2),
  name: elided(string()).at(3),
  uid: elided(string()).at(4),
  apiVersion: elided(string()).at(5),
  resourceVersion: elided(string()).at(6),
  fieldPath: elided(string()).at(7),
});
export type ObjectReference = Static<typeof ObjectReference>;

export const SecretReference = struct("core.v1.SecretReference", {
  name: elided(string()).at(1),
  namespace: elided(string()).at(2),
});
export type SecretReference = Static<typeof SecretReference>;

export const TypedLocalObjectReference = struct("core.v1.TypedLocalObjectReference", {
  apiGroup: nullable(string()).at(1),
  kind: string().at(2),
  name: string().at(3),
});
export type TypedLocalObjectReference = Static<typeof TypedLocalObjectReference>;
