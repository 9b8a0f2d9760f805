/** EphemeralContainers adds containers to a running pod: the pods/ephemeralcontainers path, behind its gate. */

import { list, type Static } from "../../../../machinery/schema/build.ts";
import { applyDefaults } from "../../../../machinery/schema/defaults.ts";
import { copyJson } from "../../../../machinery/schema/json-value.ts";
import { kind, type Subresource } from "../../../../machinery/schema/kind.ts";
import type { ObjectMeta } from "../../../../machinery/schema/object-meta.ts";
import { sameValue } from "../../../../machinery/schema/same-value.ts";
import type { Environment } from "../../../../machinery/schema/schema.ts";
import { type FieldError, forbidden } from "../../../../machinery/status/field-error.ts";
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
  gate,
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

export const ephemeralContainersPath: Subresource<PodParts> = {
  name: "ephemeralcontainers",
  verbs: ["get", "patch", "update"],
  gate,
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
  const path = "spec.ephemeralContainers";
  const volumes = new Map((spec?.volumes ?? []).map((volume) => [volume.name, volume]));
  const errors = [...validateEphemeralContainers(spec ?? { containers: [] }, volumes, path, environment)];
  // The first of a name counts.
  const given = new Map(
    [...(spec?.ephemeralContainers ?? [])].reverse().map((container) => [container.name, container]),
  );
  for (const before of old?.ephemeralContainers ?? []) {
    const now = given.get(before.name);
    if (now === undefined) errors.push(forbidden(path, `the container ${before.name} may not be removed`));
    else if (!sameValue(now, before)) errors.push(forbidden(path, `the container ${before.name} may not be changed`));
  }
  return errors;
}
