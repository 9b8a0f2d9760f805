/** Keeps objects out of namespaces that are missing or on their way out, and the protected namespaces from deletion. */

import type { Namespace } from "../../api/core/v1/namespace.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { notFound, StatusError } from "../../machinery/status/status.ts";
import { type AdmissionContext, findKind, isAbout, isBuiltin, lookUp, refuse } from "../context.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../contract.ts";

/** In orch's names. */
const protectedNamespaces = ["default", "orch-system", "orch-public"];

export function createNamespaceLifecycle(context: AdmissionContext): AdmissionPlugin {
  const { word } = context.catalog.environment.vocabulary;
  const immortal = new Set(protectedNamespaces.map((name) => word(name)));
  return {
    name: "NamespaceLifecycle",
    handles: ({ operation }) => operation !== "CONNECT",
    // In the mutating phase, so that a missing namespace is reported before anything about the object itself.
    mutate(request) {
      if (isAbout(request, "", "namespaces")) {
        if (request.operation === "DELETE" && immortal.has(request.name)) {
          throw refuse(request, "this namespace may not be deleted");
        }
        return;
      }
      // What is there may always be removed, and who may do what can be asked about any namespace.
      if (request.namespace === "" || request.operation === "DELETE" || isReview(request)) return;
      const kind = findKind(context, "", "v1", "namespaces");
      if (kind === undefined) return;
      const found = lookUp(context, kind, { namespace: "", name: request.namespace });
      if (found instanceof Promise) return found.then((namespace) => judge(request, namespace));
      judge(request, found);
    },
  };
}

function isReview({ kind }: AdmissionRequest): boolean {
  return isBuiltin({ kind }) && kind.declaration.group === "authorization.orch.io";
}

function judge(request: AdmissionRequest, found: ApiObject | undefined): void {
  if (found === undefined) throw notFound({ group: "", kind: "namespaces" }, request.namespace);
  if (request.operation !== "CREATE") return;
  const namespace = found as unknown as Namespace; // the registry keeps nothing else under this kind
  if (namespace.status?.phase !== "Terminating" && namespace.metadata.deletionTimestamp === undefined) return;
  const message = `namespace ${request.namespace} is being terminated`;
  const refusal = refuse(request, `unable to create new content in ${message}`);
  throw new StatusError("Forbidden", refusal.message, {
    details: {
      ...refusal.details,
      causes: [{ reason: "NamespaceTerminating", message, field: "metadata.namespace" }],
    },
  });
}
