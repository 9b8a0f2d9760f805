/** How long a start takes: as a process until /readyz, and inside one after the import; and what an idle server holds. */

import type { InProcessResult } from "../in-process.ts";
import { median, type Row } from "../report.ts";
import { startChild, startOrch } from "../target.ts";

const processBudgetMs = 500;
const inProcessBudgetMs = 50;

export async function measureStart(rounds: number): Promise<Row[]> {
  const starts: number[] = [];
  const idle: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const target = await startOrch("embedded");
    starts.push(target.startMs);
    idle.push(target.memory()?.residentBytes ?? Number.NaN);
    await target.close();
  }
  const inProcess: InProcessResult[] = [];
  for (let round = 0; round < rounds; round++) inProcess.push(await startInside());
  const processMs = median(starts);
  // The first one is what a test feels; later ones run warm.
  const firstMs = median(inProcess.map((result) => result.firstMs));
  return [
    {
      what: "start of a process to /readyz, empty embedded store",
      measured: `${processMs.toFixed(0)} ms`,
      beside: "",
      budget: `< ${processBudgetMs} ms`,
      met: processMs < processBudgetMs,
    },
    {
      what: "start in process after import, first and later",
      measured: `${firstMs.toFixed(0)} ms, ${median(inProcess.map((result) => result.laterMs)).toFixed(0)} ms`,
      beside: "",
      budget: `< ${inProcessBudgetMs} ms`,
      met: firstMs < inProcessBudgetMs,
    },
    {
      what: "memory of a server that has just started, resident",
      measured: `${(median(idle) / 1e6).toFixed(0)} MB`,
      beside: "",
      budget: "",
    },
  ];
}

async function startInside(): Promise<InProcessResult> {
  const child = startChild("in-process", []);
  let text = "";
  for await (const chunk of child.stdout ?? []) text += String(chunk);
  return JSON.parse(text) as InProcessResult; // what in-process.ts prints
}
