/** Which cells of a table show an abnormal state: only these get a colour on a terminal. */

import { colored } from "./terminal.ts";

/** Columns of names and free text, whose words do not describe a state. */
const freeText: ReadonlySet<string> = new Set([
  "NAME",
  "NAMESPACE",
  "OBJECT",
  "MESSAGE",
  "LABELS",
  "SELECTOR",
  "IMAGES",
]);

const bad =
  /^(Init:)?(Error|Failed|CrashLoopBackOff|ImagePullBackOff|ErrImagePull|Evicted|OOMKilled|NotReady|Lost|Unknown|Denied|InvalidImageName|CreateContainerConfigError|CreateContainerError|Warning|ExitCode:\d+)$/;
const unsettled =
  /^(Pending|Terminating|ContainerCreating|PodInitializing|Unschedulable|SchedulingDisabled|Init:\d+\/\d+)$/;

/** `0/1`: fewer are ready than desired. */
const fraction = /^(\d+)\/(\d+)$/;

/** Columns in which "False" is abnormal; in others, such as SUSPEND, it is not. */
const wantsTrue = /READY|AVAILABLE|HEALTHY|SYNCED|STATUS|ESTABLISHED|ACCEPTED|VALID/;

/** The cell as a terminal shows it. `column` is the header in capitals. */
export function abnormal(column: string, cell: string): string {
  if (freeText.has(column)) return cell;
  // The status of a node has several words.
  const words = cell.split(",");
  if (words.some((word) => bad.test(word))) return colored(cell, "red");
  if (wantsTrue.test(column) && /^False\b/.test(cell)) return colored(cell, "red");
  if (words.some((word) => unsettled.test(word))) return colored(cell, "yellow");
  const parts = fraction.exec(cell);
  return parts !== null && Number(parts[1]) < Number(parts[2]) ? colored(cell, "yellow") : cell;
}
