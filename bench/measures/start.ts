/** How long a start takes: as a process until /readyz, and inside one after the import; and what an idle server holds. */

import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
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

interface InProcessResult {
  readonly firstMs: number;
  readonly laterMs: number;
}

/** What a process runs that does nothing else; prints an InProcessResult. */
const program = `
  import { createServer } from ${JSON.stringify(pathToFileURL(resolve("dist/library.js")).href)};
  const start = async () => {
    const began = performance.now();
    const server = await createServer({ controllers: false });
    await server.fetch("/readyz");
    const took = performance.now() - began;
    await server.close();
    return took;
  };
  console.log(JSON.stringify({ firstMs: await start(), laterMs: await start() }));
`;

async function startInside(): Promise<InProcessResult> {
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program]);
  return JSON.parse(stdout) as InProcessResult; // what the program prints
}
