/** Checks of the spec of a pod, in pods and in templates. */

import { checker, on, type Relation } from "../../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../../machinery/schema/environment.ts";
import { forbid } from "../../../../machinery/schema/relations.ts";
import {
  type FieldErrors,
  invalid,
  noErrors,
  notFoundValue,
  ofEach,
  required,
  together,
} from "../../../../machinery/status/field-error.ts";
import { has } from "../../../features.ts";
import { validateVolumes } from "../volume/validate.ts";
import { appArmorRelations } from "./app-armor.ts";
import { PodDNSConfig } from "./dns.ts";
import { allKinds, eachContainer } from "./each-container.ts";
import { labelKeyRelations } from "./label-keys.ts";
import { PodSpec } from "./spec.ts";
import { containerRelations, withoutForbiddenActions } from "./validate-container.ts";
import { validateEphemeralContainers } from "./validate-ephemeral-containers.ts";
import { type VolumesByName, validateMounted } from "./validate-mounts.ts";
import { osRelations } from "./validate-os.ts";
import { podResourceRelations } from "./validate-pod-resources.ts";
import { schedulingRelations } from "./validate-scheduling.ts";
import { userNamespaceRelations } from "./validate-user-namespace.ts";

const relations: readonly Relation[] = [
  ...containerRelations,
  ...schedulingRelations,
  ...appArmorRelations,
  ...labelKeyRelations,
  ...osRelations,
  ...podResourceRelations,
  ...userNamespaceRelations,
  forbid(
    PodSpec,
    "hostnameOverride",
    "may not be set when setHostnameAsFQDN is true",
    ({ setHostnameAsFQDN }) => setHostnameAsFQDN === true,
    { since: "1.34" },
  ),
  forbid(
    PodSpec,
    "hostnameOverride",
    "may not be set when hostNetwork is true",
    ({ setHostnameAsFQDN, hostNetwork }) => !setHostnameAsFQDN && hostNetwork === true,
    { since: "1.34" },
  ),
  on(PodSpec, (spec, environment) => together(validateHostNetwork(spec, environment), validateDns(spec, environment))),
];
const checkSpec = checker(PodSpec, relations);
const checkDns = checker(PodDNSConfig);

/** `podName`: the name of the pod; absent for a template, whose pods get their own names. */
export function validatePodSpec(spec: PodSpec, path: string, environment: Environment, podName?: string): FieldErrors {
  const { errors, byName } = validateVolumes(spec.volumes, `${path}.volumes`, environment, podName);
  return together(
    errors,
    withoutForbiddenActions(checkSpec(spec, path, environment), spec, path, environment),
    validateMounted(spec.containers, byName, `${path}.containers`),
    validateMounted(spec.initContainers, byName, `${path}.initContainers`),
    validateVariableFiles(spec, byName, path),
    validateEphemeralContainers(spec, byName, `${path}.ephemeralContainers`, environment),
  );
}

/** Variables come from files in empty directories, which init containers can fill. */
const validateVariableFiles = (spec: PodSpec, volumes: VolumesByName, path: string): FieldErrors =>
  eachContainer(spec, allKinds, ({ env }, container) =>
    ofEach(env, ({ valueFrom }, at) => {
      const name = valueFrom?.fileKeyRef?.volumeName;
      if (name === undefined) return noErrors;
      const field = `${path}.${container}.env[${at}].valueFrom.fileKeyRef.volumeName`;
      const volume = volumes.get(name);
      if (volume === undefined) return [notFoundValue(field, name)];
      return volume.emptyDir ? noErrors : [invalid(field, name, "must be an emptyDir volume")];
    }),
  );

/** A pod in the host network has no ports to map. */
function validateHostNetwork(spec: PodSpec, environment: Environment): FieldErrors {
  if (!spec.hostNetwork) return noErrors;
  const [field, other] = has(environment, "namedHostPorts")
    ? (["hostPort", "containerPort"] as const)
    : (["containerPort", "hostPort"] as const);
  const text = `must match \`${other}\` when \`hostNetwork\` is true`;
  return eachContainer(spec, ["containers"], ({ ports }, at) =>
    ofEach(ports, (port, index) =>
      port[field] === port[other] ? noErrors : [invalid(`${at}.ports[${index}].${field}`, port[field], text)],
    ),
  );
}

/** A pod that does not use the DNS of the cluster or node must say which. */
function validateDns({ dnsPolicy, dnsConfig }: PodSpec, environment: Environment): FieldErrors {
  if (dnsPolicy === "None") {
    if (dnsConfig === undefined) return [required("dnsConfig", "must provide `dnsConfig` when `dnsPolicy` is None")];
    if (!dnsConfig.nameservers?.length) {
      const problem = "must provide at least one DNS nameserver when `dnsPolicy` is None";
      return [required("dnsConfig.nameservers", problem)];
    }
  }
  return checkDns(dnsConfig, "dnsConfig", environment);
}
