/** Refuses requests in namespaces that are missing; NamespaceLifecycle does that and more. */

import type { ApiObject } from "../../machinery/schema/kind.ts";
import { notFound } from "../../machinery/status/status.ts";
import { type AdmissionContext, findKind, isAbout, lookUp } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";

export function createNamespaceExists(context: AdmissionContext): AdmissionPlugin {
  return {
    name: "NamespaceExists",
    handles: (request) =>
      request.operation !== "CONNECT" && request.namespace !== "" && !isAbout(request, "", "namespaces"),
    validate({ namespace }) {
      const kind = findKind(context, "", "v1", "namespaces");
      if (kind === undefined) return;
      const judge = (found: ApiObject | undefined): void => {
        if (found === undefined) throw notFound({ group: "", kind: "namespaces" }, namespace);
      };
      const found = lookUp(context, kind, { namespace: "", name: namespace });
      return found instanceof Promise ? found.then(judge) : judge(found);
    },
  };
}
