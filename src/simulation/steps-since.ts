/** Since when each pod is at its present step: exactly if this agent wrote it, otherwise by the seconds of its status. */

import type { Pod } from "../api/core/v1/pod.ts";

export class StepsSince {
  readonly #known = new Map<string, { readonly step: string; readonly sinceMs: number }>();

  /** The status that was just written. */
  record(pod: Pod, nowMs: number): void {
    this.#known.set(uidOf(pod), { step: stepOf(pod), sinceMs: nowMs });
  }

  of(pod: Pod, nowMs: number): number {
    const known = this.#known.get(uidOf(pod));
    if (known?.step === stepOf(pod)) return known.sinceMs;
    const ms = Date.parse(timeOf(pod) ?? "");
    return Number.isNaN(ms) ? nowMs : ms;
  }

  forget(pod: Pod): void {
    this.#known.delete(uidOf(pod));
  }
}

const uidOf = ({ metadata }: Pod): string => metadata.uid ?? "";

/** Changes with each step, but not with readiness. */
function stepOf({ status }: Pod): string {
  const [first] = status?.containerStatuses ?? [];
  const state = first?.state ?? {};
  return `${status?.startTime ?? ""} ${first?.restartCount ?? 0} ${state.waiting?.reason ?? ""} ${state.running?.startedAt ?? ""}`;
}

function timeOf({ status }: Pod): string | null | undefined {
  const [first] = status?.containerStatuses ?? [];
  return first?.state?.running?.startedAt ?? first?.lastState?.terminated?.finishedAt ?? status?.startTime;
}
