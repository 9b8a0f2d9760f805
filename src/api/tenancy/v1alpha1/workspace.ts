/** A Workspace is an API server of its own, at a path of this one. */

import {
  bool,
  elided,
  int32,
  int64,
  optional,
  quantity,
  type Static,
  string,
  struct,
} from "../../../machinery/schema/build.ts";
import { kind, status } from "../../../machinery/schema/kind.ts";
import { ageColumn, nameColumn } from "../../columns.ts";

const WorkspaceLimits = struct("tenancy.v1alpha1.WorkspaceLimits", {
  objects: optional(int64())
    .at(1)
    .atLeast(0)
    .doc("How many objects it may store. Absent: as many as the server allows."),
  bytes: optional(quantity()).at(2).doc("How many bytes its objects may take. Absent: as many as the server allows."),
  definitions: optional(int32())
    .at(3)
    .atLeast(0)
    .doc("How many custom resources it may define. Absent: as many as the server allows."),
  requestsInFlight: optional(int32())
    .at(4)
    .atLeast(1)
    .doc("How many requests may be in progress at once, watches not counted. Absent: as many as the server allows."),
});
export type WorkspaceLimits = Static<typeof WorkspaceLimits>;

const WorkspaceSpec = struct("tenancy.v1alpha1.WorkspaceSpec", {
  type: elided(string())
    .at(1)
    .immutable()
    .doc("The WorkspaceType whose objects it begins with; cannot be changed. Empty: none."),
  suspended: elided(bool()).at(2).doc("Whether its requests are refused; its objects stay."),
  limits: optional(WorkspaceLimits).at(3).doc("What it may use at most."),
});

const WorkspaceStatus = struct("tenancy.v1alpha1.WorkspaceStatus", {
  phase: elided(string()).at(1).doc("Ready, Suspended or Deleting; empty: it is being made."),
  url: elided(string()).at(2).doc("The path at which it is served, behind the address of this server."),
  base: elided(string()).at(3).doc("The entries that it began with; written by the system once."),
  message: elided(string())
    .at(4)
    .doc("Why it could not be made yet, such as an object of its type that is refused. Empty: nothing is wrong."),
});

export const Workspace = kind({
  group: "tenancy.orch.io",
  version: "v1alpha1",
  kind: "Workspace",
  resource: "workspaces",
  shortNames: ["ws"],
  scope: "Cluster",
  doc: "A Workspace is an API server of its own, at a path of this one.",
  fields: {
    spec: elided(WorkspaceSpec).at(2).doc("What it is, set by its users."),
    status: elided(WorkspaceStatus).at(3).doc("Its state, written by the system."),
  },
  generation: true,
  prepareForCreate(workspace) {
    workspace.status = {};
  },
  columns: (column) => [
    nameColumn,
    column("Type", ({ spec }) => spec?.type ?? ""),
    column("Phase", ({ status: now }) => now?.phase ?? ""),
    column("Url", ({ status: now }) => now?.url ?? ""),
    ageColumn,
  ],
  subresources: [status()],
});
export type Workspace = Static<typeof Workspace>;
