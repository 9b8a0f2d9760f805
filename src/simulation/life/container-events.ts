/** What an agent says about a container in Events, in the words of real ones. */

import type { Container } from "../../api/core/v1/pod/container.ts";
import type { Probe } from "../../api/core/v1/pod/container-actions.ts";
import type { Pod } from "../../api/core/v1/pod.ts";

export interface ContainerEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  /** The name of the container; absent: the event is about the pod. */
  readonly container?: string;
}

/** Nothing is pulled: each image is there already. */
export function startEvents({ name, image = "" }: Container, reports: boolean): readonly ContainerEvent[] {
  const of = reports ? `: ${name}` : ` ${name}`;
  return [
    normal(name, "Pulled", `Container image "${image}" already present on machine`),
    normal(name, "Created", `Created container${of}`),
    normal(name, "Started", `Started container${of}`),
  ];
}

/** An attempt to pull an image that fails. */
export const pullEvents = ({ name, image = "" }: Container, why: string): readonly ContainerEvent[] => [
  normal(name, "Pulling", `Pulling image "${image}"`),
  warning(name, "Failed", `Failed to pull image "${image}": ${why}`),
  warning(name, "Failed", "Error: ErrImagePull"),
];

export const pullBackOffEvents = ({ name, image = "" }: Container): readonly ContainerEvent[] => [
  normal(name, "BackOff", `Back-off pulling image "${image}"`),
  warning(name, "Failed", "Error: ImagePullBackOff"),
];

export const stopEvent = (name: string): ContainerEvent => normal(name, "Killing", `Stopping container ${name}`);

export const probeKillEvent = (name: string, probe: string): ContainerEvent =>
  normal(name, "Killing", `Container ${name} failed ${probe.toLowerCase()} probe, will be restarted`);

/** `output`: what a command has printed that was run for the probe; undefined: none was run. */
export const unhealthyEvent = (
  name: string,
  sort: string,
  probe: Probe | undefined,
  output = answerOf(probe),
): ContainerEvent => warning(name, "Unhealthy", `${sort} probe failed: ${output}`);

export function hookFailedEvent(
  container: string,
  { metadata: { name = "", namespace = "", uid = "" } }: Pod,
  words: readonly string[],
  exitCode: number,
): ContainerEvent {
  const which = `Exec lifecycle hook ([${words.join(" ")}]) for Container "${container}" in Pod "${name}_${namespace}(${uid})"`;
  const why = `command '${words.join(" ")}' exited with ${exitCode}: `;
  return warning(container, "FailedPostStartHook", `${which} failed - error: ${why}, message: ""`);
}

/** It cannot be created. */
export const failedEvent = (name: string, message: string): ContainerEvent =>
  warning(name, "Failed", `Error: ${message}`);

/** `podText`: "p_ns(uid)". */
export function backOffEvent(name: string, podText: string, reports: boolean): ContainerEvent {
  const which = reports ? ` ${name} in pod ${podText}` : "";
  return warning(name, "BackOff", `Back-off restarting failed container${which}`);
}

function answerOf(probe: Probe | undefined): string {
  if (probe?.httpGet !== undefined) return "HTTP probe failed with statuscode: 503";
  if (probe?.tcpSocket !== undefined) return "connect: connection refused";
  return "the container is simulated to fail";
}

const normal = (container: string, reason: string, message: string): ContainerEvent => ({
  type: "Normal",
  reason,
  message,
  container,
});
const warning = (container: string, reason: string, message: string): ContainerEvent => ({
  type: "Warning",
  reason,
  message,
  container,
});
