/** The version of the software, and of the API that it serves. */

import type { VersionInfo } from "../metrics/process-readings.ts";

/** Inserted by the build; absent when source files run without a build (tests). */
declare const ORCH_VERSION: string | undefined;

export const softwareVersion = typeof ORCH_VERSION === "string" ? ORCH_VERSION : "0.0.0-source";

/** The release whose behaviour the API follows. Clients compare it with their own. */
export const apiRelease = { major: "1", minor: "21", text: "v1.21.14" };

const architectures: Readonly<Record<string, string>> = { x64: "amd64", ia32: "386" };

export const versionInfo: VersionInfo = {
  major: apiRelease.major,
  minor: apiRelease.minor,
  gitVersion: `${apiRelease.text}+orch-${softwareVersion}`,
  gitCommit: "",
  gitTreeState: "clean",
  buildDate: "1970-01-01T00:00:00Z",
  goVersion: `node-${process.version}`,
  compiler: "node",
  platform: `${process.platform}/${architectures[process.arch] ?? process.arch}`,
};
