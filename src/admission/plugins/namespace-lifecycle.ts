/** Refuses new objects in namespaces that are missing or terminating, and the deletion of protected namespaces. */

import { LocalSubjectAccessReview } from "../../api/authorization/v1/local-subject-access-review.ts";
import { Namespace } from "../../api/core/v1/namespace.ts";
import { notFound, StatusError } from "../../machinery/status/status.ts";
import { type AdmissionContext, lookUp, refuse } from "../context.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../contract.ts";
import { isOn } from "../on.ts";

/** In orch's names. */
const protectedNamespaces = ["default", "orch-system", "orch-public"];

export function createNamespaceLifecycle(context: AdmissionContext): AdmissionPlugin {
  const { word } = context.catalog.environment.vocabulary;
  const namespaces = context.catalog.of(Namespace);
  const immortal = new Set(protectedNamespaces.map((name) => word(name)));
  return {
    name: "NamespaceLifecycle",
    handles: ({ operation }) => operation !== "CONNECT",
    // In the mutating phase, so that a missing namespace is reported before anything about the object itself.
    mutate(request) {
      if (isOn(request, Namespace, "DELETE") && immortal.has(request.name)) {
        throw refuse(request, "this namespace may not be deleted");
      }
      if (isOn(request, Namespace, ["CREATE", "UPDATE", "DELETE"])) return;
      // Existing objects may always be deleted, and access reviews may name any namespace.
      if (request.namespace === "" || request.operation === "DELETE") return;
      if (isOn(request, LocalSubjectAccessReview, "CREATE")) return;
      const found = lookUp(context, namespaces, { namespace: "", name: request.namespace });
      if (found instanceof Promise) return found.then((namespace) => judge(request, namespace));
      judge(request, found);
    },
  };
}

function judge(request: AdmissionRequest, namespace: Namespace | undefined): void {
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
