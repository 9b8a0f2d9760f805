/** Reads the resource use of the process, as /metrics shows it. Files under /proc are only there on Linux; elsewhere their metrics are empty. */

import { readdirSync, readFileSync } from "node:fs";
import { labelKey, type Metric, type MetricDeclaration, Reading } from "../base/metrics.ts";
import {
  buildInfo,
  cpuSeconds,
  fileLimit,
  openFiles,
  residentBytes,
  startTime,
  virtualBytes,
  virtualLimit,
} from "./process.ts";

const startedSeconds = Date.now() / 1_000 - process.uptime();

/** What an unlimited value is in the metrics of other processes: the largest 64-bit number. */
const unlimited = 2 ** 64;

export const processMetrics: readonly Metric[] = [
  reading(cpuSeconds, () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }),
  reading(residentBytes, () => process.memoryUsage.rss()),
  reading(startTime, () => startedSeconds),
  reading(openFiles, () => readdirSync("/proc/self/fd").length - 1), // one is that of the reading itself
  reading(fileLimit, () => limitOf("Max open files")),
  reading(virtualBytes, () => Number(/^VmSize:\s+(\d+) kB$/m.exec(procFile("status"))?.[1]) * 1_024),
  reading(virtualLimit, () => limitOf("Max address space")),
];

/** What /version shows. */
export interface VersionInfo {
  readonly major: string;
  readonly minor: string;
  /** Absent: the release has no such members. */
  readonly emulationMajor?: string;
  readonly emulationMinor?: string;
  readonly minCompatibilityMajor?: string;
  readonly minCompatibilityMinor?: string;
  readonly gitVersion: string;
  readonly gitCommit: string;
  readonly gitTreeState: string;
  readonly buildDate: string;
  readonly goVersion: string;
  readonly compiler: string;
  readonly platform: string;
}

export function buildMetric(version: VersionInfo): Metric {
  const { major, minor, gitVersion, gitCommit, gitTreeState, buildDate, goVersion, compiler, platform } = version;
  const values = [major, minor, gitVersion, gitCommit, gitTreeState, buildDate, goVersion, compiler, platform];
  const key = labelKey(buildInfo.labels, values);
  return new Reading(buildInfo, () => [[key, 1]]);
}

/** A value that cannot be read is omitted. */
function reading(declaration: MetricDeclaration, read: () => number): Metric {
  return new Reading(declaration, () => {
    try {
      const value = read();
      return Number.isNaN(value) ? [] : [["", value]];
    } catch {
      return [];
    }
  });
}

const procFile = (name: string) => readFileSync(`/proc/self/${name}`, "utf8");

function limitOf(name: string): number {
  const row = procFile("limits")
    .split("\n")
    .find((one) => one.startsWith(name));
  const [soft = ""] = row?.slice(name.length).trim().split(/\s+/) ?? [];
  return soft === "unlimited" ? unlimited : Number.parseInt(soft, 10);
}
