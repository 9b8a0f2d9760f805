/** The runs of a container, as the status of its pod tells them: the present one, and the one before it. */

import type { ContainerStatus } from "../../api/core/v1/pod/status.ts";
import type { Pod } from "../../api/core/v1/pod.ts";

export interface ContainerRun {
  readonly startedMs: number;
  /** Undefined: it still runs. */
  readonly endedMs: number | undefined;
  /** How often the container had been started before. */
  readonly number: number;
}

export function statusOfContainer({ status }: Pod, name: string): ContainerStatus | undefined {
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = status ?? {};
  return [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses].find(
    (one) => one.name === name,
  );
}

/** The present run, or the last one if the container waits for its next start; undefined: it has not been started. */
export function presentRun(pod: Pod, name: string): ContainerRun | undefined {
  const status = statusOfContainer(pod, name);
  if (status === undefined) return undefined;
  const { running, terminated } = status.state ?? {};
  const number = status.restartCount ?? 0;
  if (running?.startedAt != null) return { startedMs: Date.parse(running.startedAt), endedMs: undefined, number };
  const ended = terminated ?? status.lastState?.terminated;
  return ended === undefined ? undefined : endedRun(ended, number);
}

/** The run before the present one; undefined: there was none. */
export function previousRun(pod: Pod, name: string): ContainerRun | undefined {
  const status = statusOfContainer(pod, name);
  const last = status?.lastState?.terminated;
  // One that waits for its next start has not been counted again yet.
  const number = (status?.restartCount ?? 0) - (status?.state?.waiting === undefined ? 1 : 0);
  return last === undefined ? undefined : endedRun(last, Math.max(0, number));
}

type Terminated = NonNullable<NonNullable<ContainerStatus["state"]>["terminated"]>;

function endedRun({ startedAt, finishedAt }: Terminated, number: number): ContainerRun | undefined {
  const endedMs = Date.parse(finishedAt ?? "");
  const startedMs = Date.parse(startedAt ?? finishedAt ?? "");
  return Number.isNaN(startedMs) || Number.isNaN(endedMs) ? undefined : { startedMs, endedMs, number };
}
