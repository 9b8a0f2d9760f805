/** Whether the selectors of a webhook match a request: by the labels of its namespace, and of the objects themselves. */

import { Namespace } from "../api/core/v1/namespace.ts";
import { type LabelSelector, labelMap } from "../machinery/selectors/label-selector.ts";
import { notFound } from "../machinery/status/status.ts";
import type { AdmissionRequest } from "../registry/contract/admission.ts";
import { type AdmissionContext, lookUp } from "./context.ts";
import { isNamespace } from "./review.ts";

type Labels = ReadonlyMap<string, string>;

/** What webhooks and policies select by. */
interface Selectors {
  readonly namespaceSelector: LabelSelector;
  readonly objectSelector: LabelSelector;
}

/** Made once for a request and all of its webhooks. */
interface WebhookSelection {
  /** Throws 404 where the labels of a namespace are needed that does not exist. */
  chooses(webhook: Selectors): boolean | Promise<boolean>;
}

export function createSelection(context: AdmissionContext, request: AdmissionRequest): WebhookSelection {
  let ofNamespace: Labels | Promise<Labels> | undefined;
  const matchesObject = ({ objectSelector }: Selectors) =>
    objectSelector.empty ||
    [request.object, request.old].some(
      // The options of a connection have no labels, which is not the same as an empty set of labels.
      (object) =>
        object !== undefined &&
        request.operation !== "CONNECT" &&
        objectSelector.matches(labelMap(object.metadata.labels)),
    );
  return {
    chooses(webhook) {
      if (!matchesObject(webhook)) return false;
      const { namespaceSelector } = webhook;
      if (namespaceSelector.empty || (request.namespace === "" && !isNamespace(request))) return true;
      ofNamespace ??= namespaceLabels(context, request);
      return ofNamespace instanceof Promise
        ? ofNamespace.then((labels) => namespaceSelector.matches(labels))
        : namespaceSelector.matches(ofNamespace);
    },
  };
}

/** A namespace that is written is matched by its new labels, anything else by the labels of its namespace. */
function namespaceLabels(context: AdmissionContext, request: AdmissionRequest): Labels | Promise<Labels> {
  const { operation, object } = request;
  if (isNamespace(request) && request.subresource === "" && (operation === "CREATE" || operation === "UPDATE"))
    return labelMap(object?.metadata.labels);
  const name = isNamespace(request) ? request.name : request.namespace;
  const read = (found: Namespace | undefined): Labels => {
    if (found === undefined) throw notFound({ group: "", kind: "namespaces" }, name);
    return labelMap(found.metadata.labels);
  };
  const found = lookUp(context, context.catalog.of(Namespace), { namespace: "", name }, request);
  return found instanceof Promise ? found.then(read) : read(found);
}
