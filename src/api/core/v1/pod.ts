/** A Pod is a group of containers that run together on one node. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided } from "../../../machinery/schema/build.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import { kind, status } from "../../../machinery/schema/kind.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import { ownMember } from "../../../machinery/schema/shared-object.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { has } from "../../features.ts";
import { dropOldAnnotations } from "./old-annotations.ts";
import { takeAppArmorAnnotations } from "./pod/app-armor.ts";
import { finishedConditions, gatesText, ipText, readyText, restarts, restartsText, statusText } from "./pod/columns.ts";
import { ephemeralContainersOfPod, ephemeralContainersPath } from "./pod/ephemeral-containers.ts";
import { mergeLabelKeys } from "./pod/label-keys.ts";
import { fillPodResources } from "./pod/pod-requests.ts";
import { qosClass } from "./pod/qos.ts";
import { resizePath } from "./pod/resize.ts";
import { gatedCondition } from "./pod/scheduling-gates.ts";
import { syncSeccomp } from "./pod/seccomp.ts";
import { selectableFields, selectableSinceHostNetwork } from "./pod/selectable-fields.ts";
import { PodSpec } from "./pod/spec.ts";
import { PodStatus } from "./pod/status.ts";
import { keptStatus } from "./pod/status-changes.ts";
import { validateNewPod } from "./pod/validate.ts";
import { validatePodStatusUpdate } from "./pod/validate-status.ts";
import { validatePodUpdate } from "./pod/validate-update.ts";
import { podStatusWarnings, podWarnings } from "./pod/warnings.ts";
import type { Volume } from "./volume/volume.ts";

/** The mode of the files in the volume of a token. */
const tokenFileMode = 0o644;

const logPath = {
  name: "log",
  verbs: ["get"],
  action: "pods/log",
  query: {
    container: "text",
    follow: "flag",
    insecureSkipTLSVerifyBackend: "flag",
    limitBytes: "number",
    previous: "flag",
    sinceSeconds: "number",
    tailLines: "number",
    timestamps: "flag",
  },
} as const;
const evictionPath = { name: "eviction", verbs: ["create"], action: "pods/eviction" } as const;

export const Pod = kind({
  group: "",
  version: "v1",
  kind: "Pod",
  resource: "pods",
  scope: "Namespaced",
  shortNames: ["po"],
  categories: ["all"],
  doc: "A Pod is a group of containers that run together on one node.",
  fields: {
    spec: elided(PodSpec).at(2).unchecked().doc("The desired state of the pod, set by its users."),
    status: elided(PodStatus).at(3).doc("The most recently observed state of the pod, written by the system."),
  },
  returnsDeleted: true,
  leavesOldMembers: true,
  defaults(pod, environment, old) {
    const status = ownMember(pod, old, "status");
    if (status) pod.status = withBothAddresses(status);
    dropOldAnnotations(pod.metadata, environment);
    const spec = ownMember(pod, old, "spec");
    if (!spec) return;
    spec.enableServiceLinks ??= true;
    const grace = spec.terminationGracePeriodSeconds;
    if (grace !== undefined && grace < 0 && has(environment, "leastPodGrace")) spec.terminationGracePeriodSeconds = 1;
    for (const { resources } of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
      // A limit is also the request where none is made.
      if (resources?.limits) resources.requests = { ...resources.limits, ...resources.requests };
    }
    if (spec.resources && environment.gates.enabled("PodLevelResources")) {
      fillPodResources(spec, { fillsLimits: environment.gates.enabled("PodLevelResourcesFixDefaulting") });
    }
  },
  prepareForCreate(pod, environment) {
    pod.status = { phase: "Pending", qosClass: qosClass(pod.spec) };
    if (!has(environment, "seccompFields")) syncSeccomp(pod, environment);
    if (has(environment, "appArmorFields")) takeAppArmorAnnotations(pod, environment);
    if (has(environment, "mergedLabelKeys")) mergeLabelKeys(pod.spec, pod.metadata.labels, environment);
    if (pod.spec?.schedulingGates?.length) pod.status.conditions = [gatedCondition(environment)];
  },
  validate: validateNewPod,
  validateUpdate: validatePodUpdate,
  warnings: podWarnings,
  // The volume of the account's token is added when defaults are filled in already.
  complete(pod) {
    const { spec } = pod;
    const lacksMode = ({ projected, secret }: Volume) =>
      (projected ?? secret) !== undefined && (projected ?? secret)?.defaultMode === undefined;
    if (!spec?.volumes?.some(lacksMode)) return pod;
    const volumes = spec.volumes.map((volume) => {
      const { projected, secret } = volume;
      return {
        ...volume,
        ...(projected === undefined
          ? {}
          : { projected: { ...projected, defaultMode: projected.defaultMode ?? tokenFileMode } }),
        ...(secret === undefined ? {} : { secret: { ...secret, defaultMode: secret.defaultMode ?? tokenFileMode } }),
      };
    });
    return { ...pod, spec: { ...spec, volumes } };
  },
  gracefulDeletion: {
    // A pod that no node has, or that has ended, has nothing to shut down.
    graceSeconds(pod, requested) {
      if (!pod.spec?.nodeName || pod.status?.phase === "Failed" || pod.status?.phase === "Succeeded") return 0;
      return requested ?? pod.spec.terminationGracePeriodSeconds ?? 0;
    },
  },
  selectableFields,
  from: { "1.28": { selectableFields: selectableSinceHostNetwork }, "1.33": { generation: true } },
  rowConditions: finishedConditions,
  columns: (column) => [
    nameColumn,
    column("Ready", readyText, { description: "How many containers are ready, of how many." }),
    column("Status", statusText, { description: "How the pod is doing, in one word." }),
    column("Restarts", restarts, {
      type: "integer",
      description: "How often containers were started again.",
      until: "1.22",
    }),
    column("Restarts", restartsText, { description: "How often containers were started again.", since: "1.22" }),
    ageColumn,
    column("IP", ipText, { priority: 1 }),
    column("Node", (pod) => pod.spec?.nodeName || "<none>", { priority: 1 }),
    column("Nominated Node", (pod) => pod.status?.nominatedNodeName || "<none>", { priority: 1 }),
    column("Readiness Gates", gatesText, { priority: 1 }),
  ],
  subresources: [
    {
      name: "attach",
      verbs: ["create", "get"],
      shownKind: "PodAttachOptions",
      action: "pods/attach",
      createGate: "AuthorizePodWebsocketUpgradeCreatePermission",
      connects: { stdin: "flag", stdout: "flag", stderr: "flag", tty: "flag", container: "text" },
    },
    {
      name: "binding",
      verbs: ["create"],
      accepts: { group: "", version: "v1", kind: "Binding" },
      action: "pods/binding",
    },
    { ...evictionPath, accepts: { group: "policy", version: "v1beta1", kind: "Eviction" }, until: "1.22" },
    { ...evictionPath, accepts: { group: "policy", version: "v1", kind: "Eviction" }, since: "1.22" },
    {
      name: "exec",
      verbs: ["create", "get"],
      shownKind: "PodExecOptions",
      action: "pods/exec",
      createGate: "AuthorizePodWebsocketUpgradeCreatePermission",
      connects: { stdin: "flag", stdout: "flag", stderr: "flag", tty: "flag", container: "text", command: "texts" },
    },
    ephemeralContainersPath,
    ...ephemeralContainersOfPod,
    resizePath,
    { ...logPath, until: "1.32" },
    { ...logPath, query: { ...logPath.query, stream: "text" }, since: "1.32" },
    {
      name: "portforward",
      verbs: ["create", "get"],
      shownKind: "PodPortForwardOptions",
      action: "pods/portforward",
      createGate: "AuthorizePodWebsocketUpgradeCreatePermission",
      connects: { ports: "numbers" },
    },
    {
      name: "proxy",
      verbs: ["create", "delete", "get", "patch", "update"],
      shownKind: "PodProxyOptions",
      action: "pods/proxy",
      connects: { path: "text" },
    },
    status({
      merge: mergeStatus,
      ownsGiven: true,
      warnings: podStatusWarnings,
      resets: ["metadata.deletionTimestamp", "metadata.ownerReferences"],
      validate: validatePodStatusUpdate,
    }),
  ],
});
export type Pod = Static<typeof Pod>;

interface PodParts {
  metadata: ObjectMeta;
  spec?: PodSpec;
  status?: PodStatus;
}

/** Only the status changes, and owners are kept: old agents damage them. */
function mergeStatus(written: unknown, parent: PodParts, environment: Environment): PodParts {
  // The registry has decoded the body as a pod.
  const pod = written as PodParts;
  const { ownerReferences: _owners, ...metadata } = pod.metadata;
  const { ownerReferences } = parent.metadata;
  return {
    ...pod,
    metadata: ownerReferences === undefined ? metadata : { ...metadata, ownerReferences },
    spec: parent.spec ?? { containers: [] },
    status: keptStatus(withBothAddresses(pod.status ?? {}), parent.status ?? {}, environment),
  };
}

/** Old clients know one address, which decides; new ones know several, of which it is the first. */
function withBothAddresses(status: PodStatus): PodStatus {
  const first = status.podIPs?.[0]?.ip;
  if (status.podIP && status.podIP !== first) return { ...status, podIPs: [{ ip: status.podIP }] };
  return first && !status.podIP ? { ...status, podIP: first } : status;
}
