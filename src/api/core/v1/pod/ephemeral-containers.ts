/** EphemeralContainers adds containers to a running pod: the pods/ephemeralcontainers path, behind its gate. */

import { copyJson } from "../../../../machinery/json/json-value.ts";
import { list, type Static } from "../../../../machinery/schema/build.ts";
import { applyDefaults } from "../../../../machinery/schema/defaults.ts";
import type { Environment } from "../../../../machinery/schema/environment.ts";
import { kind, type Subresource } from "../../../../machinery/schema/kind.ts";
import type { ObjectMeta } from "../../../../machinery/schema/object-meta.ts";
import { sameValue } from "../../../../machinery/schema/same-value.ts";
import { type FieldError, forbidden } from "../../../../machinery/status/field-error.ts";
import { forbiddenRequest } from "../../../../machinery/status/status.ts";
import { has } from "../../../features.ts";
import { mirrorKey } from "./annotations.ts";
import { EphemeralContainer } from "./container.ts";
import type { PodSpec } from "./spec.ts";
import { validateEphemeralContainers } from "./validate-ephemeral-containers.ts";

const gate = "EphemeralContainers";

export const EphemeralContainers = kind({
  group: "",
  version: "v1",
  kind: "EphemeralContainers",
  resource: "ephemeralcontainers",
  scope: "Namespaced",
  verbs: [],
  behind: gate,
  until: "1.22",
  doc: "EphemeralContainers adds containers to a running pod.",
  fields: {
    ephemeralContainers: list(EphemeralContainer, {
      patchStrategy: "merge",
      patchMergeKey: "name",
      keepsEmpty: true,
    })
      .at(2)
      .unchecked()
      .doc("The ephemeral containers of the pod; existing ones cannot be changed or removed."),
  },
});
export type EphemeralContainers = Static<typeof EphemeralContainers>;

interface PodParts {
  readonly metadata: ObjectMeta;
  readonly spec?: PodSpec;
}

const path = { name: "ephemeralcontainers", verbs: ["get", "patch", "update"] } as const;

/** Since 1.22 clients see the pod itself. */
const ofPod: Subresource<PodParts> = {
  ...path,
  behind: gate,
  merge(written, parent) {
    // The registry has decoded the body as a pod.
    const { metadata, spec } = written as PodParts;
    const { resourceVersion, managedFields } = metadata;
    const { ephemeralContainers: _before, ...rest } = parent.spec ?? { containers: [] };
    const given = spec?.ephemeralContainers;
    return {
      ...parent,
      metadata: {
        ...parent.metadata,
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
        ...(managedFields === undefined ? {} : { managedFields }),
      },
      spec: given ? { ...rest, ephemeralContainers: given } : rest,
    };
  },
  validate: (next, old, environment) =>
    old.metadata.annotations?.[mirrorKey(environment)] === undefined
      ? validateChange(next.spec, old.spec, environment)
      : refuseMirror(old, environment),
};

/** Who adds a container owns it since 1.33; before, the managers of the pod stay as they are. */
export const ephemeralContainersOfPod: readonly Subresource<PodParts>[] = [
  { ...ofPod, since: "1.22", until: "1.33", resets: ["spec"] },
  { ...ofPod, since: "1.33", ownsGiven: true },
];

function refuseMirror({ metadata }: PodParts, environment: Environment): FieldError[] {
  const text = "a mirror pod takes no ephemeral containers";
  if (has(environment, "invalidInMirrors")) return [forbidden("[]", text)];
  throw forbiddenRequest({ group: "", kind: "pods" }, metadata.name ?? "", text);
}

export const ephemeralContainersPath: Subresource<PodParts> = {
  ...path,
  until: "1.22",
  behind: gate,
  accepts: { group: "", version: "v1", kind: "EphemeralContainers" },
  view(pod) {
    const { name, namespace, uid, resourceVersion, creationTimestamp } = pod.metadata;
    return {
      kind: "EphemeralContainers",
      apiVersion: "v1",
      metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
      ephemeralContainers: pod.spec?.ephemeralContainers ?? [],
    };
  },
  merge(written, pod, environment) {
    // The registry has decoded the body.
    const { ephemeralContainers: given } = copyJson(written) as EphemeralContainers;
    const filled = { ephemeralContainers: given ?? [] };
    applyDefaults(EphemeralContainers.schema, filled, environment);
    return { ...pod, spec: { ...pod.spec, ephemeralContainers: filled.ephemeralContainers } };
  },
  validate: (next, old, environment) => validateChange(next.spec, old.spec, environment),
};

/** Ephemeral containers may be added, but not changed. */
function validateChange(spec: PodSpec | undefined, old: PodSpec | undefined, environment: Environment): FieldError[] {
  const list = "spec.ephemeralContainers";
  const volumes = new Map((spec?.volumes ?? []).map((volume) => [volume.name, volume]));
  const errors = [...validateEphemeralContainers(spec ?? { containers: [] }, volumes, list, environment)];
  // The first of a name counts.
  const given = new Map(
    [...(spec?.ephemeralContainers ?? [])].reverse().map((container) => [container.name, container]),
  );
  for (const before of old?.ephemeralContainers ?? []) {
    const now = given.get(before.name);
    if (now === undefined) errors.push(forbidden(list, `the container ${before.name} may not be removed`));
    else if (!sameValue(now, before)) errors.push(forbidden(list, `the container ${before.name} may not be changed`));
  }
  return errors;
}
