/** Refuses requests in namespaces that are missing; NamespaceLifecycle does that and more. */

import { Namespace } from "../../api/core/v1/namespace.ts";
import { type AdmissionContext, withNamespace } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { isOn, under } from "../on.ts";

export function createNamespaceExists(context: AdmissionContext): AdmissionPlugin {
  return {
    name: "NamespaceExists",
    handles: (request) =>
      request.operation !== "CONNECT" &&
      request.namespace !== "" &&
      !isOn(request, under(Namespace, "*"), request.operation),
    validate: (request) => withNamespace(context, request, () => {}),
  };
}
