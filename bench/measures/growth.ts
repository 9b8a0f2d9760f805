/** Whether controllers take as much for each object where there are four times as many: each task in a process of its own. */

import { runTask } from "../controllers-task.ts";
import type { Row } from "../report.ts";

/** Memory of more objects is in no cache of the processor. */
const growthMax = 1.4;
/** What is measured beside so many objects, twice as many, and four times as many. */
const steps = [1, 2, 4];
const tasks = [
  { name: "deployment", count: 12_500, what: "replicas of a Deployment created" },
  { name: "namespace", count: 25_000, what: "objects of a namespace deleted with it" },
  { name: "collection", count: 2_500, what: "dependents of one owner collected" },
  { name: "service", count: 2_500, what: "pods of a Service in a namespace with a quota made ready" },
];

export async function measureGrowth(quick: boolean): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { name, count, what } of tasks) {
    const each: { readonly count: number; readonly us: number }[] = [];
    for (const step of steps) {
      const objects = (count * step) / (quick ? 10 : 1);
      const { cpuMs } = await runTask(name, objects);
      each.push({ count: objects, us: (cpuMs * 1_000) / objects });
    }
    const told = ({ count: objects, us }: (typeof each)[number]) =>
      `${us.toFixed(0)} µs each of ${objects.toLocaleString("en")}`;
    const [first, , last] = each;
    if (first === undefined || last === undefined) continue;
    const ratio = last.us / first.us;
    rows.push({
      what,
      measured: told(last),
      beside: each.slice(0, -1).map(told).join(", "),
      ratio,
      budget: `< ${growthMax}`,
      // A short run is mostly what V8 compiles.
      ...(quick ? {} : { met: ratio < growthMax }),
    });
  }
  return rows;
}
