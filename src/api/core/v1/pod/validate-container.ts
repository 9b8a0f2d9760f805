/** Relations between containers of a pod, and between their fields. */

import { checker, on, type Relation } from "../../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../../machinery/schema/environment.ts";
import {
  duplicate,
  type FieldError,
  type FieldErrors,
  forbidden,
  invalid,
  noErrors,
  ofEach,
  together,
} from "../../../../machinery/status/field-error.ts";
import { has } from "../../../features.ts";
import { Container } from "./container.ts";
import { PodSpec } from "./spec.ts";
import { actionRelations } from "./validate-actions.ts";
import { envRelations } from "./validate-env.ts";
import { mountRelations } from "./validate-mounts.ts";
import { restartRelations } from "./validate-restart.ts";
import { contextRelations } from "./validate-security-context.ts";

export const containerRelations: readonly Relation[] = [
  ...actionRelations,
  ...envRelations,
  ...mountRelations,
  ...contextRelations,
  ...restartRelations,
  on(PodSpec, ({ containers, initContainers }, environment) =>
    together(
      validateHostPorts(containers ?? [], "containers"),
      initContainers ? validateInitContainers(initContainers, containers ?? [], environment) : noErrors,
    ),
  ),
];

export const checkContainer = checker(Container, containerRelations);

const watched = ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const;

/** Since 1.28 a field that is forbidden is not looked into. `errors` are those of the spec at `path`. */
export function withoutForbiddenActions(
  errors: FieldErrors,
  { initContainers }: PodSpec,
  path: string,
  environment: Environment,
): FieldErrors {
  if (errors.length === 0 || initContainers === undefined || !has(environment, "restartableInitContainers"))
    return errors;
  const closed = initContainers.flatMap((container, index) =>
    forbiddenActions(container).map((kind) => `${path}.initContainers[${index}].${kind}`),
  );
  if (closed.length === 0) return errors;
  const isInside = ({ field, reason }: FieldError, at: string) =>
    field.startsWith(`${at}.`) || (field === at && reason !== "FieldValueForbidden");
  return errors.filter((error) => !closed.some((at) => isInside(error, at)));
}

/** Those of an init container that ends. */
const forbiddenActions = (container: Container) =>
  container.restartPolicy === "Always" ? [] : watched.filter((kind) => container[kind]);

function validateInitContainers(
  containers: readonly Container[],
  others: readonly Container[],
  environment: Environment,
): FieldErrors {
  const names = new Set(others.map(({ name }) => name));
  const problemOf = has(environment, "restartableInitContainers")
    ? (path: string) => forbidden(path, "may not be set for init containers without restartPolicy Always")
    : (path: string) => invalid(path, "", "must not be set for init containers");
  return ofEach(containers, (container, index) => [
    ...(names.has(container.name) ? [duplicate(`initContainers[${index}].name`, container.name)] : []),
    ...forbiddenActions(container).map((kind) => problemOf(`initContainers[${index}].${kind}`)),
    // They run one after the other. v1.21 reports all of them as the first.
    ...validateHostPorts([container], "initContainers"),
  ]);
}

/** No two containers may take the same port of the host. */
export function validateHostPorts(containers: readonly Container[], path: string): FieldErrors {
  if (!containers.some(({ ports }) => ports?.some(({ hostPort }) => hostPort))) return noErrors;
  const errors: FieldError[] = [];
  const taken = new Set<string>();
  containers.forEach((container, index) => {
    (container.ports ?? []).forEach((port, portIndex) => {
      if (!port.hostPort) return;
      const key = `${port.protocol}/${port.hostIP ?? ""}/${port.hostPort}`;
      if (taken.has(key)) errors.push(duplicate(`${path}[${index}].ports[${portIndex}].hostPort`, key));
      taken.add(key);
    });
  });
  return errors;
}
