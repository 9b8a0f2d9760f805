/**
 * Workloads as tools print them that decode manifests into structs: members that structs always have are present,
 * though empty.
 */

import { copy, ensure, isJson, type Json, kindOf, list, object } from "../../json.ts";
import { podSpecOf } from "./find-pod-spec.ts";

const statuses: Readonly<Record<string, Json>> = {
  DaemonSet: { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 },
  ReplicaSet: { replicas: 0 },
  ReplicationController: { replicas: 0 },
  Service: { loadBalancer: {} },
  StatefulSet: { replicas: 0 },
};

const strategies: Readonly<Record<string, string>> = {
  DaemonSet: "updateStrategy",
  Deployment: "strategy",
  StatefulSet: "updateStrategy",
};

/** Kinds without a status. */
const bare = new Set(["ClusterRoleBinding", "RoleBinding"]);

/** Only for a manifest; objects from a server have them already. */
export function typedForm(manifest: Json): Json {
  const result = copy(manifest);
  const kind = kindOf(result);
  withTime(ensure(result, "metadata"));
  if (Object.hasOwn(strategies, kind)) ensure(result, "spec", strategies[kind] ?? "");
  const template = object(result, "spec")["template"];
  if (isJson(template)) withTime(ensure(template, "metadata"));
  const spec = podSpecOf(result);
  for (const field of ["initContainers", "containers"])
    for (const container of spec === undefined ? [] : list(spec, field)) ensure(container, "resources");
  if (kind === "Service") for (const port of list(result, "spec", "ports")) port["targetPort"] ??= 0;
  if (!bare.has(kind)) result["status"] = { ...statuses[kind], ...object(result, "status") };
  return result;
}

function withTime(metadata: Json): void {
  metadata["creationTimestamp"] ??= null;
}
