/** The programs that tests have started, and those that these have started: all have the temporary folder of the run in their environment. */

import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";

export interface Program {
  readonly pid: number;
  readonly command: string;
}

const shownCharsMax = 200;

/** Only Linux tells. */
export function programsOf(folder: string): Program[] {
  if (!existsSync("/proc/self/environ")) return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      try {
        if (!readFileSync(`/proc/${name}/environ`, "latin1").split("\0").includes(`TMPDIR=${folder}`)) return [];
        const command = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ").trim();
        return [{ pid: Number(name), command: command.slice(0, shownCharsMax) }];
      } catch {
        return []; // it has ended, or is another user's
      }
    });
}

/** Ends those that are left. */
export function endPrograms(folder: string): Program[] {
  const left = programsOf(folder).filter(({ command }) => command !== ""); // one without is only waited for
  for (const { pid } of left)
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended meanwhile.
    }
  return left;
}

/** Waits for the end of its input; starting a program may be faster than ending it, so it looks twice. */
const watcher = `
read -r end
for round in 1 2; do
  for file in /proc/[0-9]*/environ; do
    if tr '\\0' '\\n' <"$file" 2>/dev/null | grep -qxF "TMPDIR=$1"; then
      pid=\${file#/proc/}
      kill -9 "\${pid%/environ}" 2>/dev/null
    fi
  done
done
rm -rf "$1"
`;

/**
 * When this process is killed, so are the programs, and the folder goes: a program that is left would serve for days. Call it before the folder
 * is in the environment. The result stops watching.
 */
export function endWithRun(folder: string): () => void {
  if (!existsSync("/proc/self/environ")) return () => {};
  // A group of its own: what is sent to the run is not for it.
  const child = spawn("sh", ["-c", watcher, "sh", folder], { stdio: ["pipe", "ignore", "ignore"], detached: true });
  child.unref();
  child.on("error", () => {}); // a machine without a shell
  return () => child.kill("SIGKILL");
}
