/** Which objects people and programs wrote themselves: those that are worth to be written down or created again. */

import type { DiscoveredResource } from "../../client/contract.ts";
import { controllerOf } from "../../operations/relations.ts";
import { type Json, kindOf, nameOf, namespaceOf, text } from "../json.ts";

/** Kinds whose objects the server, its controllers and nodes make. */
const made = new Set([
  "Event",
  "Endpoints",
  "EndpointSlice",
  "Lease",
  "ControllerRevision",
  "Node",
  "ComponentStatus",
  "PodMetrics",
  "NodeMetrics",
  "APIService",
  "CSINode",
]);

export const isMade = ({ kind }: DiscoveredResource): boolean => made.has(kind);

/** Neither of a controller nor of the server. */
export function isOwn(object: Json, withSecrets = true): boolean {
  if (controllerOf(object) !== undefined) return false;
  const name = nameOf(object);
  if (kindOf(object) === "Secret") return withSecrets && !/service-account-token$/.test(text(object, "type"));
  if (kindOf(object) === "ConfigMap" && /^(kube|orch)-root-ca\.crt$/.test(name)) return false;
  if (kindOf(object) === "ServiceAccount" && name === "default") return false;
  if (/^(Cluster)?Role(Binding)?$/.test(kindOf(object)))
    return !(
      name.startsWith("system:") ||
      Object.keys((object["metadata"] as Json)["labels"] ?? {}).some((key) => key.endsWith("/bootstrapping"))
    );
  if (kindOf(object) === "Namespace") return !/^(default|(kube|orch)-(system|public|node-lease))$/.test(name);
  return !(kindOf(object) === "Service" && namespaceOf(object) === "default" && /^(kubernetes|orch)$/.test(name));
}
