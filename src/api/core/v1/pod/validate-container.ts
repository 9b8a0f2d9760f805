/** Relations between containers of a pod, and between their fields. */

import { isPortName } from "../../../../machinery/meta/names.ts";
import { checker, on, type Relation } from "../../../../machinery/schema/constraints.ts";
import {
  duplicate,
  type FieldError,
  type FieldErrors,
  invalid,
  noErrors,
  ofEach,
  together,
} from "../../../../machinery/status/field-error.ts";
import { Container } from "./container.ts";
import { PodSpec } from "./spec.ts";
import { actionRelations } from "./validate-actions.ts";
import { envRelations } from "./validate-env.ts";
import { mountRelations } from "./validate-mounts.ts";
import { contextRelations } from "./validate-security-context.ts";

export const containerRelations: readonly Relation[] = [
  ...actionRelations,
  ...envRelations,
  ...mountRelations,
  ...contextRelations,
  on(Container, ({ ports }) => (ports === undefined || ports.length < 2 ? noErrors : validatePortNames(ports))),
  on(PodSpec, ({ containers, initContainers }) =>
    together(
      validateHostPorts(containers ?? [], "containers"),
      initContainers ? validateInitContainers(initContainers, containers ?? []) : noErrors,
    ),
  ),
];

export const checkContainer = checker(Container, containerRelations);

const watched = ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const;

function validateInitContainers(containers: readonly Container[], others: readonly Container[]): FieldErrors {
  const names = new Set(others.map(({ name }) => name));
  return ofEach(containers, (container, index) => [
    ...(names.has(container.name) ? [duplicate(`initContainers[${index}].name`, container.name)] : []),
    ...watched
      .filter((kind) => container[kind])
      .map((kind) => invalid(`initContainers[${index}].${kind}`, "", "must not be set for init containers")),
    // They run one after the other. v1.21 reports all of them as the first.
    ...validateHostPorts([container], "initContainers"),
  ]);
}

/** Only valid names are compared. */
function validatePortNames(ports: NonNullable<Container["ports"]>): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap(({ name }, index) => {
    if (!name || isPortName(name).length > 0) return [];
    if (names.has(name)) return [duplicate(`ports[${index}].name`, name)];
    names.add(name);
    return [];
  });
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
