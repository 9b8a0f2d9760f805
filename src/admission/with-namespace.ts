/** The namespace of a request, for plugins that read its annotations. */

import { Namespace } from "../api/core/v1/namespace.ts";
import { notFound } from "../machinery/status/status.ts";
import { type AdmissionContext, lookUp } from "./context.ts";
import type { AdmissionRequest } from "./contract.ts";

/** Calls `use` with the namespace; refuses the request if it does not exist. */
export function withNamespace(
  context: AdmissionContext,
  { namespace: name }: Pick<AdmissionRequest, "namespace">,
  use: (namespace: Namespace) => void,
): void | Promise<void> {
  const go = (found: Namespace | undefined): void => {
    if (found === undefined) throw notFound({ group: "", kind: "namespaces" }, name);
    use(found);
  };
  const found = lookUp(context, context.catalog.of(Namespace), { namespace: "", name });
  return found instanceof Promise ? found.then(go) : go(found);
}
