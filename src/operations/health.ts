/** How something is, in one of four states, a word and a reason: the same in `ctl` and in the console. */

export type HealthState = "healthy" | "progressing" | "failing" | "unknown";

export interface StatedHealth {
  readonly state: HealthState;
  /** "Running", "CrashLoopBackOff", "2 of 3 ready". */
  readonly word: string;
  /** What is said about it; "": no more than the word. */
  readonly why: string;
}

/** The worst first: lists of problems are in this order. */
export const healthStates: readonly HealthState[] = ["failing", "unknown", "progressing", "healthy"];

const failing =
  /^(Init:)?(Error|Failed|CrashLoopBackOff|ImagePullBackOff|ErrImage\w+|Evicted|OOMKilled|NotReady|Lost|Denied|Rejected|InvalidImageName|CreateContainerConfigError|CreateContainerError|RunContainerError|ContainerCannotRun|StartError|DeadlineExceeded|BackoffLimitExceeded|NodeLost|UnexpectedAdmissionError|OutOf\w+|Warning|Degraded|Unhealthy|Signal:\d+|ExitCode:[1-9]\d*)$/;
const progressing =
  /^(Pending|Terminating|ContainerCreating|PodInitializing|Unschedulable|SchedulingGated|SchedulingDisabled|Released|Progressing|Reconciling|Updating|Suspended|Init:\d+\/\d+)$/;
const healthy =
  /^(Running|Ready|Active|Available|Bound|Complete|Completed|Succeeded|Healthy|Approved|Issued|Established|Synced|Normal|Valid)$/;

/** What a word of a status means; undefined: nothing that is known. */
export function wordHealth(word: string): HealthState | undefined {
  if (failing.test(word)) return "failing";
  if (progressing.test(word)) return "progressing";
  if (healthy.test(word)) return "healthy";
  return word === "Unknown" ? "unknown" : undefined;
}

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

/** `0/1`: fewer are ready than desired. */
const fraction = /^(\d+)\/(\d+)$/;

/** Columns in which "False" is a failure; in others, such as SUSPEND, it is not. */
const wantsTrue = /READY|AVAILABLE|HEALTHY|SYNCED|STATUS|ESTABLISHED|ACCEPTED|VALID/;
/** Columns whose words are states. In others, "Active" may be the name of something. */
const isState =
  /STATUS|STATE|PHASE|READY|AVAILABLE|HEALTH|SYNCED|ESTABLISHED|ACCEPTED|VALID|CONDITION|COMPLETIONS|TYPE/;

/** What a cell of a table says about its object; undefined: nothing. `column` is the header, in any case. */
export function cellHealth(column: string, cell: string): HealthState | undefined {
  const header = column.toUpperCase();
  if (freeText.has(header)) return undefined;
  // The status of a node has several words.
  const states = cell.split(",").map(wordHealth);
  for (const state of ["failing", "unknown", "progressing"] as const) if (states.includes(state)) return state;
  if (wantsTrue.test(header) && /^False\b/.test(cell)) return "failing";
  const parts = fraction.exec(cell);
  if (parts !== null && isState.test(header)) return Number(parts[1]) < Number(parts[2]) ? "progressing" : "healthy";
  if (wantsTrue.test(header) && cell === "True") return "healthy";
  return states.includes("healthy") && isState.test(header) ? "healthy" : undefined;
}

/** How the object of a row is, by its cells: the worst that one of them says; undefined: none says anything. */
export function rowHealth(columns: readonly string[], cells: readonly string[]): HealthState | undefined {
  const said = columns.map((column, at) => cellHealth(column, cells[at] ?? ""));
  // A pod that has ended is ready no more, and need not be.
  if (cells.some((cell, at) => /STATUS|STATE/i.test(columns[at] ?? "") && isOver.test(cell))) return "healthy";
  return healthStates.find((state) => said.includes(state));
}

const isOver = /^(Completed|Succeeded|Complete)$/;

/** Whether a condition should be True or False; undefined: neither is better, as far as its name tells. */
function wantedStatus(type: string): "True" | "False" | undefined {
  if (bad.test(type)) return "False";
  return good.test(type) ? "True" : undefined;
}

const bad =
  /(Failed|Failure|Failing|Error|Errored|Degraded|Stalled|Pressure|Unavailable|Unhealthy|NotReady|Problem|Denied|Conflict|Violating|NonStructuralSchema|Dangling|Misconfigured)$/;
const good =
  /(Ready|Available|Healthy|Accepted|Programmed|ResolvedRefs|Established|Succeeded|Synced|Reconciled|Initialized|Progressing|Bound|Scheduled|Valid|Complete|Completed|Approved|Allowed|AbleToScale|ScalingActive|Online|Connected|Running|Deployed|Installed|Provisioned|Issued|ReadyToStartContainers)$/;

/** Whether a condition reports trouble: MemoryPressure is True, Ready is False or Unknown. */
export function isTrouble(type: string, status: string): boolean {
  const wanted = wantedStatus(type);
  return wanted === "False" ? status === "True" : wanted === "True" && status !== "True";
}

/** How a condition is: neither True nor False is unknown. */
export function conditionHealth(type: string, status: string): HealthState | undefined {
  const wanted = wantedStatus(type);
  if (status !== "True" && status !== "False") return wanted === undefined && status === "" ? undefined : "unknown";
  return wanted === undefined ? undefined : wanted === status ? "healthy" : "failing";
}
