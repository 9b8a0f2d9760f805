/** The contract of a check of `orch doctor`. */

import type { Clock } from "../../base/clock.ts";
import type { ApiServerFlags } from "../programs/apiserver.ts";

/** `error`: the server does not start or does not work. `warning`: it will stop working soon, or is not safe. */
export type FindingLevel = "ok" | "warning" | "error";

export interface Finding {
  readonly level: FindingLevel;
  /** What was checked: a file, a port, a limit. */
  readonly subject: string;
  readonly message: string;
  /** What to do; absent only if all is well. */
  readonly advice?: string;
}

export interface DoctorContext {
  /** The flags that the server is started with. */
  readonly flags: ApiServerFlags;
  readonly clock: Clock;
}

export interface DoctorCheck {
  readonly name: string;
  /** An error that it throws becomes a finding. */
  run(context: DoctorContext): Promise<readonly Finding[]>;
}

export const ok = (subject: string, message: string): Finding => ({ level: "ok", subject, message });
export const warning = (subject: string, message: string, advice: string): Finding => ({
  level: "warning",
  subject,
  message,
  advice,
});
export const problem = (subject: string, message: string, advice: string): Finding => ({
  level: "error",
  subject,
  message,
  advice,
});
