/** A WorkspaceType is a template: the objects that workspaces begin with. */

import { elided, json, list, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { ageColumn, nameColumn } from "../../columns.ts";

const WorkspaceTypeSpec = struct("tenancy.v1alpha1.WorkspaceTypeSpec", {
  objects: elided(list(json(), { topology: "atomic" }))
    .at(1)
    .doc("Objects of any kind, as they would be created: definitions, roles, defaults."),
  from: elided(string())
    .at(2)
    .doc("A workspace whose objects new ones begin with, as they are then. Not together with objects."),
});

export const WorkspaceType = kind({
  group: "tenancy.orch.io",
  version: "v1alpha1",
  kind: "WorkspaceType",
  resource: "workspacetypes",
  shortNames: ["wst"],
  scope: "Cluster",
  doc: "A WorkspaceType is a template: the objects that workspaces begin with. A change is for workspaces that are created later.",
  fields: { spec: elided(WorkspaceTypeSpec).at(2).doc("What workspaces of the type begin with.") },
  generation: true,
  columns: (column) => [
    nameColumn,
    column("Objects", ({ spec }) => spec?.objects?.length ?? 0, { type: "integer" }),
    column("From", ({ spec }) => spec?.from ?? ""),
    ageColumn,
  ],
});
export type WorkspaceType = Static<typeof WorkspaceType>;
