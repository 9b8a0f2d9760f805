/** How long a start takes: as a process until /readyz, and inside this one after the import; and what an idle server holds. */

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { median, type Row } from "../report.ts";
import { startOrch } from "../target.ts";

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
  const library = pathToFileURL(resolve("dist/library.js")).href;
  const { createServer } = (await import(library)) as typeof import("../../src/main/library.ts");
  const inProcess: number[] = [];
  for (let round = 0; round < rounds + 2; round++) {
    const start = performance.now();
    const server = await createServer();
    await server.fetch("/readyz");
    inProcess.push(performance.now() - start);
    await server.close();
  }
  const processMs = median(starts);
  // The first one is what a test feels; later ones run warm.
  const firstMs = inProcess[0] ?? Number.NaN;
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
      measured: `${firstMs.toFixed(0)} ms, ${median(inProcess.slice(1)).toFixed(0)} ms`,
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
