/**
 * A reporter of vitest that notes what each file of tests costs: processor time of this process and of the ones that it has started, in
 * seconds. It needs a run with one worker (`node scripts/test.mjs --cost`), since threads share a process. Processor time grows on a busy
 * machine as well, but far less than the time that passes.
 */

import { readFileSync } from "node:fs";

/** What `scripts/long-tests.txt` names: files that took longer than this. */
export const longSeconds = 0.7;
const ticksPerSecond = 100;

function ownSeconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Of children that have ended. Only Linux tells it. */
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
  #own = ownSeconds();
  #children = childSeconds();

  #since() {
    const [own, children] = [ownSeconds(), childSeconds()];
    const cost = { seconds: own - this.#own + children - this.#children, ofPrograms: children - this.#children };
    [this.#own, this.#children] = [own, children];
    return cost;
  }

  /** What a file imports stays loaded for the files after it, so that it does not count as the file's own. */
  onTestModuleCollected() {
    this.#loading += this.#since().seconds;
  }

  onTestModuleEnd(module) {
    this.#costs.push({ file: module.relativeModuleId, ...this.#since() });
  }

  onTestRunEnd() {
    const long = this.#costs.filter(({ seconds }) => seconds > longSeconds).sort((a, b) => b.seconds - a.seconds);
    console.log("seconds  of them in programs");
    for (const { file, seconds, ofPrograms } of long)
      console.log(`${seconds.toFixed(1).padStart(7)} ${ofPrograms.toFixed(1).padStart(7)}  ${file}`);
    const sum = (name) => this.#costs.reduce((all, cost) => all + cost[name], 0).toFixed(0);
    console.log(
      `${sum("seconds")} s in ${this.#costs.length} files, ${sum("ofPrograms")} s of them in programs that they start; ${this.#loading.toFixed(0)} s to load the files`,
    );
  }
}
