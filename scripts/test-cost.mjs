/**
 * A reporter of vitest that notes what each file of tests costs: processor time of this process and of the ones that it has started, in
 * seconds. It needs a run with one worker (`node scripts/test.mjs --cost`), since threads share a process. Processor time grows on a busy
 * machine as well, but far less than the time that passes.
 */

import { readFileSync } from "node:fs";

/** What `scripts/long-tests.txt` names: files that took longer than this. */
export const longSeconds = 0.7;
const ticksPerSecond = 100;

/** Of this process, and of its children that have ended. Only Linux tells the second. */
function processorSeconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + childSeconds();
}

function childSeconds() {
  try {
    const stat = readFileSync("/proc/self/stat", "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[13]) + Number(fields[14])) / ticksPerSecond;
  } catch {
    return 0;
  }
}

export default class TestCost {
  #costs = [];
  #loading = 0;
  #before = processorSeconds();

  #since() {
    const now = processorSeconds();
    const seconds = now - this.#before;
    this.#before = now;
    return seconds;
  }

  /** What a file imports stays loaded for the files after it, so that it does not count as the file's own. */
  onTestModuleCollected() {
    this.#loading += this.#since();
  }

  onTestModuleEnd(module) {
    this.#costs.push({ file: module.relativeModuleId, seconds: this.#since() });
  }

  onTestRunEnd() {
    const all = this.#costs.reduce((sum, { seconds }) => sum + seconds, 0);
    const long = this.#costs.filter(({ seconds }) => seconds > longSeconds).sort((a, b) => b.seconds - a.seconds);
    for (const { file, seconds } of long) console.log(`${seconds.toFixed(1).padStart(7)} s  ${file}`);
    console.log(`${all.toFixed(0)} s in ${this.#costs.length} files, and ${this.#loading.toFixed(0)} s to load them`);
  }
}
