/** Events about simulated containers: warnings always, those about the ordinary life of containers at a limited rate. */

import type { Pod } from "../api/core/v1/pod.ts";
import type { Clock } from "../base/clock.ts";
import type { PlannedEvent } from "../controllers/plan.ts";
import type { ContainerEvent } from "./life/container-events.ts";

/** Real agents have such limits too. Where thousands of pods start at once, Events would be most of the writes. */
export const ordinaryEventsBurst = 200;
export const ordinaryEventsPerSecond = 20;

export class PodEvents {
  readonly #clock: Pick<Clock, "now">;
  #left = ordinaryEventsBurst;
  #countedAtMs: number;

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
    this.#countedAtMs = clock.now();
  }

  /** Those that may be written now, each about its container or the pod. */
  of(pod: Pod, events: readonly ContainerEvent[]): readonly PlannedEvent[] {
    return events
      .filter(({ type }) => type === "Warning" || this.#take())
      .map(({ container, ...event }) => ({
        ...event,
        about: container === undefined ? pod : aboutContainer(pod, container),
      }));
  }

  #take(): boolean {
    const now = this.#clock.now();
    const gained = ((now - this.#countedAtMs) / 1_000) * ordinaryEventsPerSecond;
    this.#countedAtMs = now;
    this.#left = Math.min(ordinaryEventsBurst, this.#left + Math.max(0, gained));
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }
}

function aboutContainer({ apiVersion, kind, metadata, spec }: Pod, container: string) {
  const { namespace, name, uid, resourceVersion } = metadata;
  const lists = ["initContainers", "ephemeralContainers"] as const;
  const list = lists.find((one) => spec?.[one]?.some(({ name }) => name === container)) ?? "containers";
  const fieldPath = `spec.${list}{${container}}`;
  return { apiVersion, kind, namespace, name, uid, resourceVersion, fieldPath };
}
