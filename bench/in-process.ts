/** A server inside a process that has done nothing else yet, as a test has it. */

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

export interface InProcessResult {
  readonly firstMs: number;
  readonly laterMs: number;
}

/** Prints an InProcessResult. */
export async function runInProcess(): Promise<void> {
  const library = pathToFileURL(resolve("dist/library.js")).href;
  const { createServer } = (await import(library)) as typeof import("../src/main/library.ts");
  const start = async () => {
    const began = performance.now();
    const server = await createServer();
    await server.fetch("/readyz");
    const took = performance.now() - began;
    await server.close();
    return took;
  };
  const result: InProcessResult = { firstMs: await start(), laterMs: await start() };
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
