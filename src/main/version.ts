/** The version of the software, and of the API that it serves. */

import { isSince } from "../base/release.ts";
import type { Level } from "../machinery/schema/level.ts";
import type { VersionInfo } from "../metrics/process-readings.ts";

/** Inserted by the build; absent when source files run without a build (tests). */
declare const ORCH_VERSION: string | undefined;

export const softwareVersion = typeof ORCH_VERSION === "string" ? ORCH_VERSION : "0.0.0-source";

interface ApiRelease {
  readonly major: string;
  readonly minor: string;
  readonly text: string;
}

/** The release whose behaviour the API follows at each level. Clients compare it with their own. */
const apiReleases: Readonly<Record<Level, ApiRelease>> = {
  "1.21": { major: "1", minor: "21", text: "v1.21.14" },
  "1.35": { major: "1", minor: "35", text: "v1.35.8" },
};

/** The release of the specification. */
export const apiRelease: ApiRelease = apiReleases["1.21"];

/** Those that this program serves, and that its own client speaks; that of the specification first. */
export const apiReleaseTexts: readonly string[] = Object.values(apiReleases).map(({ text }) => text);

export const releaseOf = (level: Level): ApiRelease => apiReleases[level];

const architectures: Readonly<Record<string, string>> = { x64: "amd64", ia32: "386" };

export function versionInfoOf(level: Level): VersionInfo {
  const { major, minor, text } = apiReleases[level];
  return {
    major,
    minor,
    ...emulationOf(level),
    gitVersion: `${text}+orch-${softwareVersion}`,
    gitCommit: "",
    gitTreeState: "clean",
    buildDate: "1970-01-01T00:00:00Z",
    goVersion: `node-${process.version}`,
    compiler: "node",
    platform: `${process.platform}/${architectures[process.arch] ?? process.arch}`,
  };
}

/** Since 1.33 a server tells which release it emulates, and the oldest one that it is compatible with. */
function emulationOf(level: Level): Partial<VersionInfo> {
  if (!isSince(level, "1.33")) return {};
  const { major, minor } = apiReleases[level];
  return {
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Number(minor) - 1),
  };
}
