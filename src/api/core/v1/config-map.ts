/** A ConfigMap holds configuration that pods and people read by key. */

import type { Static } from "../../../machinery/schema/build.ts";
import { bool, bytes, elided, map, optional, string } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";

export const ConfigMap = kind({
  group: "",
  version: "v1",
  kind: "ConfigMap",
  resource: "configmaps",
  scope: "Namespaced",
  shortNames: ["cm"],
  doc: "A ConfigMap holds configuration that pods and people read by key.",
  fields: {
    data: elided(map(string())).at(2),
    binaryData: elided(map(bytes())).at(3),
    immutable: optional(bool()).at(4),
  },
});
export type ConfigMap = Static<typeof ConfigMap>;
