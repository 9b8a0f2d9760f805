/** Checks of probes and life-cycle hooks. */

import { isDns1123Label, isHttpHeaderName, isPortName } from "../../../../machinery/meta/names.ts";
import type { FieldError, FieldErrors } from "../../../../machinery/status/field-error.ts";
import {
  each,
  forbidden,
  invalid,
  noErrors,
  notSupported,
  ofEach,
  required,
  together,
} from "../../../../machinery/status/field-error.ts";
import type { Handler, HTTPGetAction, Lifecycle, Probe } from "./container-actions.ts";

export function validateNotNegative(value: number | undefined, path: string): FieldErrors {
  return value !== undefined && value < 0 ? [invalid(path, value, "must be greater than or equal to 0")] : noErrors;
}

export function validatePortNumber(value: number, path: string): FieldErrors {
  return value < 1 || value > 65535 ? [invalid(path, value, "must be between 1 and 65535, inclusive")] : noErrors;
}

/** A port by number or by the name of a container's port. */
export function validatePortNumberOrName(port: number | string, path: string): FieldErrors {
  return typeof port === "number" ? validatePortNumber(port, path) : each(isPortName(port), path, port);
}

interface Probed {
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly startupProbe?: Probe;
}

const probeKinds = ["livenessProbe", "readinessProbe", "startupProbe"] as const;

export function validateProbes(container: Probed, path: string): FieldErrors {
  return ofEach(probeKinds, (kind) => {
    const probe = container[kind];
    if (probe === undefined) return noErrors;
    const errors: FieldError[] = [];
    if (kind !== "readinessProbe" && probe.successThreshold !== 1) {
      errors.push(invalid(`${path}.${kind}.successThreshold`, probe.successThreshold, "must be 1"));
    }
    // A readiness probe does not stop the container.
    if (kind === "readinessProbe" && probe.terminationGracePeriodSeconds !== undefined) {
      const at = `${path}.${kind}.terminationGracePeriodSeconds`;
      errors.push(invalid(at, probe.terminationGracePeriodSeconds, "must not be set for readinessProbes"));
    }
    return together(validateProbe(probe, `${path}.${kind}`), errors);
  });
}

function validateProbe(probe: Probe, path: string): FieldErrors {
  return together(
    validateHandler(probe, path),
    validateNotNegative(probe.initialDelaySeconds, `${path}.initialDelaySeconds`),
    validateNotNegative(probe.timeoutSeconds, `${path}.timeoutSeconds`),
    validateNotNegative(probe.periodSeconds, `${path}.periodSeconds`),
    validateNotNegative(probe.successThreshold, `${path}.successThreshold`),
    validateNotNegative(probe.failureThreshold, `${path}.failureThreshold`),
  );
}

export function validateLifecycle(lifecycle: Lifecycle | undefined, path: string): FieldErrors {
  return together(
    lifecycle?.postStart ? validateHandler(lifecycle.postStart, `${path}.postStart`) : noErrors,
    lifecycle?.preStop ? validateHandler(lifecycle.preStop, `${path}.preStop`) : noErrors,
  );
}

function validateHandler(handler: Handler, path: string): FieldErrors {
  const errors: FieldError[] = [];
  let count = 0;
  const only = (kind: string, problems: () => FieldErrors) => {
    count++;
    if (count > 1) errors.push(forbidden(`${path}.${kind}`, "may not specify more than 1 handler type"));
    else errors.push(...problems());
  };
  const { exec, httpGet, tcpSocket } = handler;
  if (exec) only("exec", () => ((exec.command ?? []).length === 0 ? [required(`${path}.exec.command`)] : noErrors));
  if (httpGet) only("httpGet", () => validateHttpGet(httpGet, `${path}.httpGet`));
  if (tcpSocket) only("tcpSocket", () => validatePortNumberOrName(tcpSocket.port, `${path}.tcpSocket.port`));
  if (count === 0) errors.push(required(path, "must specify a handler type"));
  return errors;
}

const schemes = ["HTTP", "HTTPS"];

function validateHttpGet(action: HTTPGetAction, path: string): FieldErrors {
  const errors: FieldError[] = [];
  if (!action.path) errors.push(required(`${path}.path`));
  errors.push(...validatePortNumberOrName(action.port, `${path}.port`));
  if (!schemes.includes(action.scheme ?? "")) errors.push(notSupported(`${path}.scheme`, action.scheme, schemes));
  for (const header of action.httpHeaders ?? []) {
    errors.push(
      ...isHttpHeaderName(header.name).map((problem) => invalid(`${path}.httpHeaders`, header.name, problem)),
    );
  }
  return errors;
}

/** The name of a container: a DNS label, not used twice. */
export function validateContainerName(name: string, path: string): FieldErrors {
  return name === "" ? [required(path)] : each(isDns1123Label(name), path, name);
}
