/** Which words of a table tell of trouble: they get a colour on a terminal, everything else none. */

import { colored } from "./terminal.ts";

const bad =
  /^(Error|Failed|CrashLoopBackOff|ImagePullBackOff|ErrImagePull|Evicted|OOMKilled|NotReady|Lost|Unknown|Denied|InvalidImageName|Warning|False)\b/;
const unsettled = /^(Pending|Terminating|ContainerCreating|PodInitializing|Unschedulable|SchedulingDisabled)\b/;

/** `0/1`: fewer are ready than wanted. */
const fraction = /^(\d+)\/(\d+)$/;

export function abnormal(word: string): string {
  if (bad.test(word)) return colored(word, "red");
  if (unsettled.test(word)) return colored(word, "yellow");
  const parts = fraction.exec(word);
  return parts !== null && Number(parts[1]) < Number(parts[2]) ? colored(word, "yellow") : word;
}
