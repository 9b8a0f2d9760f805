/** EphemeralContainers is how a pod is given containers while it runs: the pods/ephemeralcontainers path, behind its gate. */

import type { Static } from "../../../machinery/schema/build.ts";
import { list } from "../../../machinery/schema/build.ts";
import { applyDefaults } from "../../../machinery/schema/defaults.ts";
import { copyJson } from "../../../machinery/schema/json-value.ts";
import type { Subresource } from "../../../machinery/schema/kind.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import type { Environment } from "../../../machinery/schema/schema.ts";
import type { FieldError } from "../../../machinery/status/field-error.ts";
import { duplicate, forbidden, notFoundValue } from "../../../machinery/status/field-error.ts";
import { sameValue } from "../../same-value.ts";
import type { Container } from "./container.ts";
import { EphemeralContainer } from "./container.ts";
import type { PodSpec } from "./pod-spec.ts";
import { validateContainer } from "./validate-container.ts";
import { validateVolumes } from "./validate-volume.ts";

const gate = "EphemeralContainers";

export const EphemeralContainers = kind({
  group: "",
  version: "v1",
  kind: "EphemeralContainers",
  resource: "ephemeralcontainers",
  scope: "Namespaced",
  verbs: [],
  gate,
  doc: "EphemeralContainers is how a pod is given containers while it runs.",
  fields: {
    ephemeralContainers: list(EphemeralContainer, {
      patchStrategy: "merge",
      patchMergeKey: "name",
      keepsEmpty: true,
    }).at(2),
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
    // The registry has decoded what was written.
    const { ephemeralContainers: given } = copyJson(written) as EphemeralContainers;
    const filled = { ephemeralContainers: given ?? [] };
    applyDefaults(EphemeralContainers.schema, filled, environment);
    return { ...pod, spec: { ...pod.spec, ephemeralContainers: filled.ephemeralContainers } };
  },
  validate: (next, old, environment) => validateEphemeralContainers(next.spec, old.spec, environment),
};

/** What such a container may say; it is there to look around, not to be relied upon. */
const allowed = new Set([
  "name",
  "image",
  "command",
  "args",
  "workingDir",
  "envFrom",
  "env",
  "volumeMounts",
  "terminationMessagePath",
  "terminationMessagePolicy",
  "imagePullPolicy",
  "securityContext",
  "stdin",
  "stdinOnce",
  "tty",
  "targetContainerName",
]);

function validateEphemeralContainers(
  spec: PodSpec | undefined,
  old: PodSpec | undefined,
  environment: Environment,
): FieldError[] {
  const path = "spec.ephemeralContainers";
  const given = spec?.ephemeralContainers ?? [];
  const { byName: volumes } = validateVolumes(spec?.volumes, "spec.volumes", environment);
  const main = (spec?.containers ?? []).map(({ name }) => name);
  const names = new Set([...main, ...(spec?.initContainers ?? []).map(({ name }) => name)]);
  const errors = given.flatMap((container, index) => {
    const at = `${path}[${index}]`;
    const { targetContainerName: target, ...common } = container;
    // All that other containers have, and the name of one of them.
    const problems = validateContainer({ resources: {}, ...common } as Container, volumes, at, environment);
    if (names.has(container.name)) problems.push(duplicate(`${at}.name`, container.name));
    names.add(container.name);
    if (target && !main.includes(target)) problems.push(notFoundValue(`${at}.targetContainerName`, target));
    for (const [field, value] of Object.entries(container)) {
      const isSet = typeof value !== "object" || value === null ? Boolean(value) : Object.keys(value).length > 0;
      if (isSet && !allowed.has(field))
        problems.push(forbidden(`${at}.${field}`, "cannot be set for such a container"));
    }
    return problems;
  });
  for (const before of old?.ephemeralContainers ?? []) {
    const now = given.find(({ name }) => name === before.name);
    if (now === undefined) errors.push(forbidden(path, `the container ${before.name} may not be removed`));
    else if (!sameValue(now, before)) errors.push(forbidden(path, `the container ${before.name} may not be changed`));
  }
  return errors;
}
