/** What field selectors of pods may name. */

import type { PodSpec } from "./spec.ts";

interface Selected {
  readonly spec?: PodSpec;
  readonly status?: {
    readonly phase?: string;
    readonly podIP?: string;
    readonly podIPs?: readonly { readonly ip?: string }[];
    readonly nominatedNodeName?: string;
  };
}

export const selectableFields: Readonly<Record<string, (pod: Selected) => string>> = {
  "spec.nodeName": (pod) => pod.spec?.nodeName ?? "",
  "spec.restartPolicy": (pod) => pod.spec?.restartPolicy ?? "",
  "spec.schedulerName": (pod) => pod.spec?.schedulerName ?? "",
  "spec.serviceAccountName": (pod) => pod.spec?.serviceAccountName ?? "",
  "status.phase": (pod) => pod.status?.phase ?? "",
  "status.podIP": (pod) => pod.status?.podIPs?.[0]?.ip ?? pod.status?.podIP ?? "",
  // Older and newer names that v1.21 accepts; the second never matches.
  "spec.host": (pod) => pod.spec?.nodeName ?? "",
  "status.podIPs": () => "",
  "status.nominatedNodeName": (pod) => pod.status?.nominatedNodeName ?? "",
};

/** Since 1.28 also pods that share the network of their node: "true" or "false". */
export const selectableSinceHostNetwork: typeof selectableFields = {
  ...selectableFields,
  "spec.hostNetwork": (pod) => String(pod.spec?.hostNetwork === true),
};
