/** Checks of ephemeral containers, which are added to a running pod for debugging. */

import type { Environment } from "../../../../machinery/schema/environment.ts";
import type { FieldError, FieldErrors } from "../../../../machinery/status/field-error.ts";
import {
  addTo,
  duplicate,
  forbidden,
  invalid,
  noErrors,
  notFoundValue,
  ofEach,
  required,
} from "../../../../machinery/status/field-error.ts";
import { has } from "../../../features.ts";
import type { Container } from "./container.ts";
import type { PodSpec } from "./spec.ts";
import { checkContainer, validateHostPorts } from "./validate-container.ts";
import { type VolumesByName, validateMountedIn } from "./validate-mounts.ts";

/** The fields that an ephemeral container may set. */
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
  "stdin",
  "stdinOnce",
  "tty",
]);

/** Since 1.23. */
const allowedLater = new Set(["securityContext", "volumeDevices"]);

export function validateEphemeralContainers(
  spec: PodSpec,
  volumes: VolumesByName,
  path: string,
  environment: Environment,
): FieldErrors {
  if (!spec.ephemeralContainers) return noErrors;
  const lasting = new Set([...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ name }) => name));
  const names = new Set(lasting);
  return ofEach(spec.ephemeralContainers, ({ targetContainerName: target, ...container }, index) => {
    const at = `${path}[${index}]`;
    const errors: FieldError[] = [];
    // v1.21 checks each as a list of one, and reports it so; there the target may be an ephemeral container too.
    const isLate = has(environment, "plainEphemeralContainers");
    if (target && !(isLate ? lasting : names).has(target))
      errors.push(notFoundValue(`${at}.targetContainerName`, target));
    if (container.name === "" && !isLate) return [...errors, required(at, "such a container requires a name")];
    const own = isLate ? at : `${at}[0]`;
    const alone = { resources: {}, ...container } as Container; // all of its fields are fields of a container
    addTo(errors, checkContainer(alone, own, environment));
    addTo(errors, validateMountedIn(alone, volumes, own));
    addTo(errors, validateHostPorts([alone], at));
    const { image = "" } = container;
    if (image !== image.trim()) {
      errors.push(invalid(`${own}.image`, image, "must not have leading or trailing whitespace"));
    }
    if (isLate) addTo(errors, refuseSubPaths(alone, at));
    if (names.has(container.name)) errors.push(duplicate(`${at}.name`, container.name));
    names.add(container.name);
    return [...errors, ...onlyAllowed(container, at, isLate)];
  });
}

const refuseSubPaths = ({ volumeMounts }: Container, path: string): FieldErrors =>
  ofEach(volumeMounts, (mount, index) =>
    ofEach(["subPath", "subPathExpr"] as const, (field) =>
      mount[field] ? [forbidden(`${path}.volumeMounts[${index}].${field}`, "cannot be set for such a container")] : [],
    ),
  );

const onlyAllowed = (container: object, path: string, isLate: boolean): FieldError[] =>
  Object.entries(container)
    .filter(([field, value]) => !allowed.has(field) && !(isLate && allowedLater.has(field)) && isGiven(field, value))
    .map(([field]) => forbidden(`${path}.${field}`, "cannot be set for such a container"));

/** An empty object is given too, but for resources, which every container has. */
const isGiven = (field: string, value: unknown): boolean =>
  field === "resources" && typeof value === "object" && value !== null ? Object.keys(value).length > 0 : Boolean(value);
