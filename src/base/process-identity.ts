/** Which process one means: a later one may get the same pid. */

import { readFileSync } from "node:fs";

export interface ProcessIdentity {
  readonly pid: number;
  /** When the process began, in the kernel's own count. Empty: not known, and the pid alone decides. */
  readonly started: string;
}

export function thisProcess(): ProcessIdentity {
  return { pid: process.pid, started: startOf(process.pid) };
}

export function isRunning({ pid, started }: ProcessIdentity): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  const now = startOf(pid);
  return now === "" || started === "" || isSameStart(now, started);
}

/** An emulated process reports its start a tick or two late; no two processes get the same pid within one second. */
const ticksApartMax = 100;

function isSameStart(a: string, b: string): boolean {
  const [bootOfA, ticksOfA] = a.split("/");
  const [bootOfB, ticksOfB] = b.split("/");
  return bootOfA === bootOfB && Math.abs(Number(ticksOfA) - Number(ticksOfB)) <= ticksApartMax;
}

/** Linux: the boot's id and the process's start in ticks since then. Elsewhere unknown. */
function startOf(pid: number): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the program's name in parentheses and may contain anything; the start is the 20th field after it.
    return `${boot}/${stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]}`;
  } catch {
    return "";
  }
}
