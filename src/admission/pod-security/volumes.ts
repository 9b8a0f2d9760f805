/** Which volumes a pod may have: by type, and for some types by path or driver. */

import type { Pod } from "../../api/core/v1/pod.ts";
import type { Volume } from "../../api/core/v1/volume/volume.ts";
import type { PodSecurityPolicySpec } from "../../api/policy/v1beta1/security-policy-spec.ts";
import { type FieldErrors, invalid, noErrors, ofEach } from "../../machinery/status/field-error.ts";
import { containersOf } from "../containers.ts";
import type { CreateStrategy } from "./contract.ts";

const anyType = "*";
/** Types whose name differs from that of the field. */
const typeNames: Readonly<Record<string, string>> = { cephfs: "cephFS" };

export const createVolumes: CreateStrategy = ({ spec: policy }, { vocabulary, gates }) => {
  const allowed = new Set(policy.volumes);
  const rootAuthority = vocabulary.word("orch-root-ca.crt");
  const hasDrivers = gates.enabled("CSIInlineVolume");
  const isAllowed = (volume: Volume, type: string): boolean =>
    allowed.has(anyType) ||
    allowed.has(type) ||
    // A volume with nothing but the token of the account counts as the secret that it replaced.
    (allowed.has("secret") && type === "projected" && isTokenVolume(volume, rootAuthority));
  return {
    validatePod: (pod) =>
      ofEach(pod.spec?.volumes, (volume, index) => {
        const path = `spec.volumes[${index}]`;
        const type = typeOf(volume);
        if (type === undefined) return [invalid(path, volume.name, "has no known type of volume")];
        if (!isAllowed(volume, type)) return [invalid(path, type, `${type} volumes are not allowed to be used`)];
        if (type === "hostPath") return validateHostPath(pod, volume, policy, path);
        if (type === "flexVolume") {
          const drivers = (policy.allowedFlexVolumes ?? []).map(({ driver }) => driver);
          return validateDriver(volume.flexVolume?.driver ?? "", drivers, `${path}.driver`);
        }
        if (type === "csi" && hasDrivers) {
          const drivers = (policy.allowedCSIDrivers ?? []).map(({ name }) => name);
          return validateDriver(volume.csi?.driver ?? "", drivers, `${path}.csi.driver`);
        }
        return noErrors;
      }),
  };
};

/** Undefined: none of its sources is there. */
function typeOf({ name: _, ...sources }: Volume): string | undefined {
  const [field] = Object.entries(sources).find(([, source]) => source !== undefined) ?? [];
  return field === undefined ? undefined : (typeNames[field] ?? field);
}

/** No drivers named: all are allowed. */
function validateDriver(driver: string, allowed: readonly string[], path: string): FieldErrors {
  if (allowed.length === 0 || allowed.includes(driver)) return noErrors;
  return [invalid(path, driver, `driver is not allowed to be used; allowed: ${allowed.join(", ")}`)];
}

/** No paths named: all are allowed. A path that may only be read must be mounted so everywhere. */
function validateHostPath(pod: Pod, volume: Volume, policy: PodSecurityPolicySpec, path: string): FieldErrors {
  const { allowedHostPaths = [] } = policy;
  const given = volume.hostPath?.path ?? "";
  const fitting = allowedHostPaths.filter(({ pathPrefix = "" }) => isBelow(given, pathPrefix));
  if (allowedHostPaths.length > 0 && fitting.length === 0) {
    return [invalid(`${path}.hostPath.pathPrefix`, given, "is not allowed to be used")];
  }
  if (fitting.some(({ readOnly }) => !readOnly) || allowedHostPaths.length === 0) return noErrors;
  return ofEach(containersOf(pod), ({ container, path: at }) =>
    ofEach(container.volumeMounts, ({ name, readOnly }, index) =>
      name === volume.name && !readOnly
        ? [invalid(`${at}.volumeMounts[${index}].readOnly`, false, "must be read-only")]
        : noErrors,
    ),
  );
}

/** By whole elements: /foo is above /foo/bar, and not above /food. */
function isBelow(path: string, prefix: string): boolean {
  const [inner, outer] = [path, prefix].map((one) => (one.endsWith("/") ? one.slice(0, -1) : one)) as [string, string];
  return inner === outer || inner.startsWith(`${outer}/`);
}

/** What the ServiceAccount plugin mounts, and nothing beside it. */
function isTokenVolume({ projected }: Volume, rootAuthority: string): boolean {
  return (projected?.sources ?? []).every(({ serviceAccountToken, configMap, downwardAPI }) => {
    if (serviceAccountToken) return serviceAccountToken.path === "token" && !serviceAccountToken.audience;
    if (configMap) return configMap.name === rootAuthority;
    if (!downwardAPI) return false;
    return (downwardAPI.items ?? []).every(
      ({ path, fieldRef }) =>
        path === "namespace" && fieldRef?.apiVersion === "v1" && fieldRef.fieldPath === "metadata.namespace",
    );
  });
}
