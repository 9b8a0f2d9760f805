/** A PersistentVolume is a piece of storage in the cluster. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, string, struct } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { status } from "../../../machinery/schema/subresources.ts";
import { PersistentVolumeSpec } from "./persistent-volume-spec.ts";

export const PersistentVolumeStatus = struct("core.v1.PersistentVolumeStatus", {
  phase: elided(string()).at(1),
  message: elided(string()).at(2),
  reason: elided(string()).at(3),
});
export type PersistentVolumeStatus = Static<typeof PersistentVolumeStatus>;

export const PersistentVolume = kind({
  group: "",
  version: "v1",
  kind: "PersistentVolume",
  resource: "persistentvolumes",
  scope: "Cluster",
  shortNames: ["pv"],
  doc: "A PersistentVolume is a piece of storage in the cluster.",
  fields: {
    spec: elided(PersistentVolumeSpec).at(2),
    status: elided(PersistentVolumeStatus).at(3),
  },
  subresources: [status()],
});
export type PersistentVolume = Static<typeof PersistentVolume>;
