/** Refuses new objects in namespaces that are missing or terminating, and the deletion of protected namespaces. */

import { LocalSubjectAccessReview } from "../../api/authorization/v1/local-subject-access-review.ts";
import { Namespace } from "../../api/core/v1/namespace.ts";
import { notFound, StatusError } from "../../machinery/status/status.ts";
import type { AdmissionRequest } from "../../registry/contract/admission.ts";
import { type AdmissionContext, lookUp, refuse } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { on, plugin } from "../on.ts";

/** In orch's names. */
const protectedNamespaces = ["default", "orch-system", "orch-public"];

export function createNamespaceLifecycle(context: AdmissionContext): AdmissionPlugin {
  const { word } = context.catalog.environment.vocabulary;
  const namespaces = context.catalog.of(Namespace);
  const immortal = new Set(protectedNamespaces.map((name) => word(name)));
  const keepImmortal = (request: AdmissionRequest) => {
    if (immortal.has(request.name)) throw refuse(request, "this namespace may not be deleted");
  };
  const requireNamespace = (request: AdmissionRequest) => {
    const found = lookUp(context, namespaces, { namespace: "", name: request.namespace }, request);
    if (found instanceof Promise) return found.then((namespace) => check(request, namespace));
    check(request, found);
  };
  // In the mutating phase, so that a missing namespace is reported before anything about the object itself.
  return plugin("NamespaceLifecycle", [
    on(Namespace, "DELETE", { mutate: keepImmortal }),
    // Access reviews may name any namespace.
    on(LocalSubjectAccessReview, "CREATE", { mutate: accept }),
    {
      matches: ({ kind, operation }) => kind.namespaced && (operation === "CREATE" || operation === "UPDATE"),
      leavesOldMembers: true,
      mutate: requireNamespace,
    },
    // Existing objects may always be deleted.
    { matches: ({ operation }) => operation !== "CONNECT", leavesOldMembers: true, mutate: accept },
  ]);
}

const accept = () => {};

function check(request: AdmissionRequest, namespace: Namespace | undefined): void {
  if (namespace === undefined) throw notFound({ group: "", kind: "namespaces" }, request.namespace);
  if (request.operation !== "CREATE") return;
  if (namespace.status?.phase !== "Terminating" && namespace.metadata.deletionTimestamp === undefined) return;
  const message = `namespace ${request.namespace} is being terminated`;
  const refusal = refuse(
    request,
    `unable to create new content in namespace ${request.namespace} because it is being terminated`,
  );
  throw new StatusError("Forbidden", refusal.message, {
    details: {
      ...refusal.details,
      causes: [{ reason: "NamespaceTerminating", message, field: "metadata.namespace" }],
    },
  });
}
