/** The time of the change that caused a write of endpoints, to measure how long they take to reach the nodes. */

import type { Pod } from "../../../api/core/v1/pod.ts";
import type { Service } from "../../../api/core/v1/service.ts";
import { keyOf } from "../../../client/informer/keys.ts";
import { timeText } from "../../../machinery/values/time.ts";
import { podCondition, timeMs } from "../pods/state.ts";

interface TriggerTimes {
  /** The earliest change since the last call for this service; undefined: nothing that has a time changed. */
  take(service: Service, pods: readonly Pod[]): string | undefined;
  forget(key: string): void;
}

interface Seen {
  readonly serviceMs: number;
  readonly podsMs: ReadonlyMap<string, number>;
}

export function createTriggerTimes(): TriggerTimes {
  const known = new Map<string, Seen>();
  return {
    take(service, pods) {
      const key = keyOf(service);
      const before = known.get(key);
      const changes: number[] = [];
      const podsMs = new Map<string, number>();
      for (const pod of pods) {
        const atMs = timeMs(podCondition(pod, "Ready")?.lastTransitionTime);
        const name = pod.metadata.name ?? "";
        if (atMs === undefined) continue;
        podsMs.set(name, atMs);
        if (atMs > (before?.podsMs.get(name) ?? Number.NEGATIVE_INFINITY)) changes.push(atMs);
      }
      const serviceMs = timeMs(service.metadata.creationTimestamp) ?? 0;
      known.set(key, { serviceMs, podsMs });
      // For a new service its own creation time counts, not that of existing pods.
      if (before === undefined) return timeText(serviceMs);
      if (serviceMs > before.serviceMs) changes.push(serviceMs);
      return changes.length === 0 ? undefined : timeText(Math.min(...changes));
    },
    forget(key) {
      known.delete(key);
    },
  };
}
