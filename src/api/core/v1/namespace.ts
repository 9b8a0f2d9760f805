/** A Namespace is a scope for names; deleting it deletes all objects in it. */

import { foregroundFinalizer, orphanFinalizer } from "../../../machinery/meta/metadata.ts";
import { isQualifiedName } from "../../../machinery/meta/names.ts";
import { elided, list, oneWord, type Static, string, struct } from "../../../machinery/schema/build.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import { kind, status } from "../../../machinery/schema/kind.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import { type FieldError, invalid, ofEach } from "../../../machinery/status/field-error.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { conditionFields } from "../../common-fields.ts";

export const NamespaceCondition = struct("core.v1.NamespaceCondition", {
  ...conditionFields(
    "What keeps a terminating namespace from being removed, such as NamespaceContentRemaining or NamespaceFinalizersRemaining.",
    4,
  ),
});
export type NamespaceCondition = Static<typeof NamespaceCondition>;

const NamespaceSpec = struct("core.v1.NamespaceSpec", {
  finalizers: elided(list(string()))
    .at(1)
    .doc("What must happen before the namespace can be removed; emptied through the finalize subresource."),
});

const NamespaceStatus = struct("core.v1.NamespaceStatus", {
  phase: elided(oneWord(["Active", "Terminating"]))
    .at(1)
    .default("Active")
    .doc("Active, or Terminating while the namespace is being deleted."),
  conditions: elided(list(NamespaceCondition, { patchStrategy: "merge", patchMergeKey: "type" }))
    .at(2)
    .doc("The current state of the object, one entry for each condition type."),
});

export const Namespace = kind({
  group: "",
  version: "v1",
  kind: "Namespace",
  resource: "namespaces",
  scope: "Cluster",
  shortNames: ["ns"],
  verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
  doc: "A Namespace is a scope for names; deleting it deletes all objects in it.",
  fields: {
    spec: elided(NamespaceSpec).at(2).doc("The desired state of the namespace, set by its users."),
    status: elided(NamespaceStatus)
      .at(3)
      .doc("The most recently observed state of the namespace, written by the system."),
  },
  name: "label",
  returnsDeleted: true,
  defaults: labelWithName,
  prepareForCreate(namespace, environment) {
    labelWithName(namespace, environment);
    namespace.status = { phase: "Active" };
    const own = environment.vocabulary.word("orch");
    const finalizers = namespace.spec?.finalizers ?? [];
    namespace.spec = { finalizers: finalizers.includes(own) ? finalizers : [...finalizers, own] };
  },
  prepareForUpdate(namespace, old, environment) {
    labelWithName(namespace, environment);
    namespace.spec = old.spec ?? {};
  },
  // For a new namespace the error names the list, for the finalize subresource the item.
  validate: (namespace, environment) =>
    ofEach(namespace.spec?.finalizers, (name) => validateFinalizer(name, "spec.finalizers", environment)),
  validateUpdate: () => [],
  beginDeletion(namespace) {
    namespace.status = { ...namespace.status, phase: "Terminating" };
  },
  keepTerminating: (namespace) => (namespace.spec?.finalizers ?? []).length > 0,
  selectableFields: { "status.phase": (namespace) => namespace.status?.phase ?? "" },
  columns: (column) => [nameColumn, column("Status", (namespace) => namespace.status?.phase ?? ""), ageColumn],
  subresources: [
    {
      name: "finalize",
      verbs: ["update"],
      // Writers of this path are sent the whole namespace and answer with what must still clean up.
      merge: (written, parent) => ({ ...(written as typeof parent), status: parent.status ?? {} }),
      validate: (next, _old, environment) =>
        ofEach(next.spec?.finalizers, (name, index) =>
          validateFinalizer(name, `spec.finalizers[${index}]`, environment),
        ),
    },
    status({
      validate(next: { metadata: ObjectMeta; status?: { phase?: string } }) {
        const phase = next.status?.phase ?? "";
        const allowed = next.metadata.deletionTimestamp ? "Terminating" : "Active";
        return phase === allowed ? [] : [invalid("status.Phase", phase, `may only be ${allowed} at this time`)];
      },
    }),
  ],
});
export type Namespace = Static<typeof Namespace>;

/** Every namespace can be selected by its name. */
function labelWithName(namespace: { metadata: ObjectMeta }, { vocabulary, gates }: Environment): void {
  const name = namespace.metadata.name ?? "";
  if (name === "" || !gates.enabled("NamespaceDefaultLabelName")) return;
  namespace.metadata.labels = { ...namespace.metadata.labels, [vocabulary.word("orch.io/metadata.name")]: name };
}

function validateFinalizer(name: string, path: string, { vocabulary }: Environment): FieldError[] {
  const problems = isQualifiedName(name).map((problem) => invalid(path, name, problem));
  const standard = [vocabulary.word("orch"), orphanFinalizer, foregroundFinalizer];
  if (problems.length > 0 || name.includes("/") || standard.includes(name)) return problems;
  return [invalid(path, name, "name is neither a standard finalizer name nor is it fully qualified")];
}
