/** A ControllerRevision is an unchangeable snapshot of a controller's state. */

import { elided, int64, json, printed, type Static } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import { ageColumn, nameColumn } from "../../columns.ts";

export const ControllerRevision = kind({
  group: "apps",
  version: "v1",
  kind: "ControllerRevision",
  resource: "controllerrevisions",
  scope: "Namespaced",
  doc: "A ControllerRevision is an unchangeable snapshot of a controller's state.",
  fields: {
    data: elided(json())
      .from("1.37", printed)
      .listed(true, "1.37")
      .at(2)
      .required("data is mandatory")
      .immutable()
      .doc("The recorded state; it never changes."),
    revision: int64().listed(false, "1.37").at(3).atLeast(0).doc("The number of the revision; higher is newer."),
  },
  columns: (column) => [
    nameColumn,
    column("Controller", ({ metadata }) => controllerText(metadata)),
    column("Revision", ({ revision }) => revision),
    ageColumn,
  ],
});
export type ControllerRevision = Static<typeof ControllerRevision>;

/** `daemonset.apps/agent`: the owner that controls the object. */
function controllerText(metadata: ObjectMeta): string {
  const owner = (metadata.ownerReferences ?? []).find(({ controller }) => controller === true);
  if (owner === undefined) return "<none>";
  const group = owner.apiVersion.includes("/") ? `.${owner.apiVersion.split("/")[0]}` : "";
  return `${owner.kind.toLowerCase()}${group}/${owner.name}`;
}
