/** Taints of devices say since when they are there: a write that does not say it means now. */

import type { Environment } from "../../../machinery/schema/environment.ts";
import { timeText } from "../../../machinery/values/time.ts";

interface Taint {
  timeAdded?: string | null;
}

export function stampTaints(taints: readonly (Taint | undefined)[], { clock }: Environment): void {
  for (const taint of taints) if (taint) taint.timeAdded ??= timeText(clock.now());
}
