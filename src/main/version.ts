/** The version of the software, and of the API that it serves. */

import type { Release } from "../base/release.ts";
import { hasAt } from "../machinery/schema/features.ts";
import { levels, releaseTextOf } from "../machinery/schema/levels.ts";
import type { VersionInfo } from "../metrics/process-readings.ts";

/** Inserted by the build; absent when source files run without a build (tests). */
declare const ORCH_VERSION: string | undefined;

export const softwareVersion = typeof ORCH_VERSION === "string" ? ORCH_VERSION : "0.0.0-source";

interface ApiRelease {
  readonly major: string;
  readonly minor: string;
  /** "v1.21.14". */
  readonly text: string;
}

/** The release whose behaviour the API follows at a level. */
export function releaseOf(level: Release): ApiRelease {
  const [major = "", minor = ""] = level.split(".");
  return { major, minor, text: releaseTextOf(level) };
}

/** The release of the specification. */
export const apiRelease: ApiRelease = releaseOf("1.21");

/** Those that this program serves, and that its own client speaks; that of the specification first. */
export const apiReleaseTexts: readonly string[] = levels.map(releaseTextOf);

const architectures: Readonly<Record<string, string>> = { x64: "amd64", ia32: "386" };

export function versionInfoOf(level: Release): VersionInfo {
  const { major, minor, text } = releaseOf(level);
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

/** Which release a server emulates, and the oldest one that it is compatible with. */
function emulationOf(level: Release): Partial<VersionInfo> {
  const has = hasAt(level);
  if (!has("emulation")) return {};
  const { major, minor } = releaseOf(level);
  return {
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Number(minor) - 1),
  };
}
