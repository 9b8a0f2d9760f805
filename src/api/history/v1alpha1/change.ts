/** A Change is one write of the past: to which object, by whom, and what it changed. */

import { bool, elided, int32, list, optional, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { ageColumn, nameColumn } from "../../columns.ts";

const ChangedOwner = struct("history.v1alpha1.ChangedOwner", {
  kind: string().at(1).doc("The kind of the owner."),
  name: string().at(2).doc("The name of the owner."),
  uid: string().at(3).doc("The uid of the owner."),
  controller: elided(bool()).at(4).doc("Whether the owner manages the object."),
});

const ChangedObject = struct("history.v1alpha1.ChangedObject", {
  group: elided(string()).at(1).doc("The group of the object; empty: the core group."),
  version: elided(string()).at(2).doc("The version in which its fields are named."),
  kind: elided(string()).at(3).doc("The kind of the object."),
  resource: elided(string()).at(4).doc("The resource of the object."),
  namespace: elided(string()).at(5).doc("The namespace of the object; empty: it has none."),
  name: elided(string()).at(6).doc("The name of the object."),
  uid: elided(string()).at(7).doc("The uid of the object."),
  owners: elided(list(ChangedOwner)).at(8).doc("The owners of the object."),
});

const ChangedField = struct("history.v1alpha1.ChangedField", {
  path: string().at(1).doc("Where the field is."),
  old: optional(string()).at(2).doc("Its value before, as JSON; a long one is cut off. Absent: it was not set."),
  new: optional(string()).at(3).doc("Its value after, as JSON; a long one is cut off. Absent: it is not set."),
});

export const Change = kind({
  group: "history.orch.io",
  version: "v1alpha1",
  kind: "Change",
  resource: "changes",
  scope: "Namespaced",
  verbs: ["get", "list", "watch"],
  doc: "A Change is one write of the past; its name is the resourceVersion that the write gave.",
  fields: {
    object: ChangedObject.at(2).doc("What was written."),
    operation: string().at(3).doc("What happened to it: create, update or delete."),
    verb: elided(string()).at(4).doc("The verb of the request."),
    subresource: elided(string()).at(5).doc("The subresource that the request was for."),
    user: elided(string()).at(6).doc("Who sent the request, or whom its sender impersonated."),
    impersonator: elided(string()).at(7).doc("Who sent the request as another user."),
    userAgent: elided(string()).at(8).doc("The program that sent the request, as it says itself."),
    manager: elided(string()).at(9).doc("The manager of the fields that were written."),
    requestID: elided(string()).at(10).doc("The id of the request in the audit log."),
    cause: elided(string()).at(11).doc("What made a controller send the request, as it says itself."),
    guessed: elided(bool())
      .at(15)
      .doc("The cause is a guess, from the owner of the object: the request did not say it."),
    admission: elided(string()).at(16).doc("The webhooks and policies that changed the object on its way."),
    fields: elided(list(ChangedField)).at(12).doc("The fields that have another value; without managed fields."),
    moreFields: elided(int32()).at(13).doc("How many more fields have another value."),
    unreadable: elided(string()).at(14).doc("Why the fields are not known."),
  },
  selectableFields: {
    "object.group": ({ object }) => object.group ?? "",
    "object.kind": ({ object }) => object.kind ?? "",
    "object.resource": ({ object }) => object.resource ?? "",
    "object.name": ({ object }) => object.name ?? "",
    operation: ({ operation }) => operation,
    verb: ({ verb }) => verb ?? "",
    user: ({ user }) => user ?? "",
    manager: ({ manager }) => manager ?? "",
    cause: ({ cause }) => cause ?? "",
  },
  columns: (column) => [
    nameColumn,
    column("Object", ({ object }) => `${object.resource}/${object.name}`),
    column("What", ({ operation, subresource }) => (subresource ? `${operation} (${subresource})` : operation)),
    column("By", ({ user }) => user ?? ""),
    column("Fields", ({ fields }) => (fields ?? []).map(({ path }) => path).join(",")),
    ageColumn,
  ],
});
export type Change = Static<typeof Change>;
