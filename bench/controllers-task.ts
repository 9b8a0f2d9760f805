/** Starts one task of `controllers-process.ts` in a process of its own, and reads what it measured. */

import type { TaskResult } from "./controllers-process.ts";
import { startChild } from "./target.ts";

/** `which`: "none" for a server without controllers, or a number of simulated nodes. */
export function runTask(name: string, count: number, which = "all"): Promise<TaskResult> {
  const child = startChild("controllers-process", [name, String(count), which]);
  return new Promise((done, fail) => {
    let text = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    child.once("exit", (code) => {
      if (code === 0)
        done(JSON.parse(text) as TaskResult); // what the process prints
      else fail(new Error(`the task ${name} ended with code ${code}`));
    });
  });
}
