/** What many pods take in the memory of a server, by part. */

import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import type { MemoryResult } from "../memory-process.ts";
import { megabytes, type Row } from "../report.ts";

export async function measureMemoryParts(pods: number): Promise<Row[]> {
  const args = ["--expose-gc", resolve(process.argv[1] ?? ""), "memory-process", String(pods)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const { parts, jsonBytes, residentBytes } = JSON.parse(stdout) as MemoryResult; // what the process prints
  const shown = (what: string, heapBytes: number, outsideBytes: number, more: Partial<Row> = {}): Row => ({
    what: `memory of ${pods.toLocaleString("en")} pods: ${what}`,
    measured: `${megabytes(heapBytes + outsideBytes)}: heap ${megabytes(heapBytes)}, bytes outside it ${megabytes(outsideBytes)}`,
    beside: "",
    budget: "",
    ...more,
  });
  const sum = (bytes: readonly number[]) => bytes.reduce((all, one) => all + one, 0);
  const heapBytes = sum(parts.map((part) => part.heapBytes));
  const outsideBytes = sum(parts.map((part) => part.outsideBytes));
  return [
    ...parts.map((part) => shown(part.name, part.heapBytes, part.outsideBytes)),
    shown("all", heapBytes, outsideBytes, {
      beside: `${megabytes(jsonBytes)} of JSON; ${megabytes(residentBytes)} more resident`,
      ratio: (heapBytes + outsideBytes) / jsonBytes,
    }),
  ];
}
