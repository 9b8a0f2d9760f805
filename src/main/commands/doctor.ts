/** `orch doctor`: finds problems that prevent a server from working now or soon, and says what to do. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { parseFlags } from "../../base/flags/parse.ts";
import { certificatesCheck } from "../doctor/certificates.ts";
import { configurationCheck } from "../doctor/configuration.ts";
import type { DoctorCheck, DoctorContext, Finding, FindingLevel } from "../doctor/contract.ts";
import { folderCheck } from "../doctor/folder.ts";
import { machineCheck } from "../doctor/machine.ts";
import { portCheck } from "../doctor/port.ts";
import { storeCheck } from "../doctor/store.ts";
import { doctorFlags } from "../flags/doctor-flags.ts";
import { upFlags } from "../flags/up-flags.ts";
import type { ApiServerFlags } from "../programs/apiserver.ts";
import { runningServerOf } from "../programs/running-server.ts";
import { partsOf } from "../stores/data-folder.ts";
import { withChoicesOfFolder } from "../stores/store-choice.ts";

/** In the order of the output. To add one: a file in doctor/, and its line here. */
const checks: readonly DoctorCheck[] = [
  machineCheck,
  configurationCheck,
  folderCheck,
  certificatesCheck,
  storeCheck,
  portCheck,
];

export interface CheckedFinding extends Finding {
  readonly check: string;
}

/** Exits with 0 when all is well, 1 when there are warnings, 2 when there are errors. */
export async function runDoctor(args: readonly string[]): Promise<void> {
  const { values, given } = parseFlags(doctorFlags, args);
  const flags = await withAddressOfServer(await withChoicesOfFolder(values, given), given);
  const findings = await examine({ flags, clock: systemClock });
  process.stdout.write(
    values.output === "json" ? `${JSON.stringify({ findings }, undefined, 2)}\n` : findings.map(describe).join(""),
  );
  process.exitCode = exitCodeOf(findings);
}

/**
 * Without flags that say otherwise, the address is the one that the running server of the folder wrote into it. A folder with generated
 * certificates whose server does not run belongs to `orch up`, which listens on loopback only.
 */
export async function withAddressOfServer(flags: ApiServerFlags, given: ReadonlySet<string>): Promise<ApiServerFlags> {
  const folder = flags["data-dir"];
  const isOfUp = existsSync(join(partsOf(folder).pki, "serving.crt"));
  if (!isOfUp || given.has("bind-address") || given.has("tls-cert-file")) return flags;
  const { url = "" } = (await runningServerOf(folder)) ?? {};
  const own = { ...flags, "bind-address": upFlags["bind-address"].default };
  if (!URL.canParse(url) || given.has("secure-port")) return own;
  const { hostname, port } = new URL(url);
  return { ...own, "bind-address": hostname.replace(/^\[|\]$/g, ""), "secure-port": Number(port || "443") };
}

export async function examine(context: DoctorContext): Promise<CheckedFinding[]> {
  const findings: CheckedFinding[] = [];
  for (const { name, run } of checks) {
    const found = await run(context).catch((error: unknown): readonly Finding[] => [
      {
        level: "error",
        subject: name,
        message: `could not be checked: ${error instanceof Error ? error.message : String(error)}`,
        advice: "run this as the user of the server, with the flags of the server",
      },
    ]);
    findings.push(...found.map((finding) => ({ check: name, ...finding })));
  }
  return findings;
}

export function exitCodeOf(findings: readonly Finding[]): 0 | 1 | 2 {
  const worst = (level: FindingLevel) => findings.some((finding) => finding.level === level);
  return worst("error") ? 2 : worst("warning") ? 1 : 0;
}

/** One line each: the level, the subject, the finding, the advice. */
function describe({ level, check, subject, message, advice }: CheckedFinding): string {
  return `${level.padEnd(7)} ${check}: ${subject}: ${message}${advice === undefined ? "" : `. ${advice}`}\n`;
}
