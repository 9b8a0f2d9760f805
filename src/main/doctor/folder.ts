/** The folder of `orch up`: a start refuses keys and folders that others can reach, and needs to write to the store. */

import { existsSync, readdirSync } from "node:fs";
import { access, constants } from "node:fs/promises";
import { join } from "node:path";
import { requirePrivate } from "../pki/private-files.ts";
import { partsOf } from "../stores/data-folder.ts";
import { type DoctorCheck, type Finding, ok, problem } from "./contract.ts";

export const folderCheck: DoctorCheck = {
  name: "folder",
  async run({ flags }) {
    const { pki, store } = partsOf(flags["data-dir"]);
    const findings: Finding[] = [];
    if (existsSync(pki)) findings.push(...(await checkSecrets(pki)));
    if (existsSync(store)) findings.push(...(await checkWritable(store)));
    return findings;
  },
};

/** The folder itself, and the keys in it. */
async function checkSecrets(folder: string): Promise<Finding[]> {
  const findings = await refusals(folder, 0o700);
  try {
    for (const name of readdirSync(folder))
      if (name.endsWith(".key")) findings.push(...(await refusals(join(folder, name), 0o600)));
  } catch {
    findings.push(problem(folder, "cannot be read", "run this as the user of the server"));
  }
  return findings.length > 0 ? findings : [ok(folder, "only its owner can reach it")];
}

async function refusals(path: string, mode: number): Promise<Finding[]> {
  try {
    await requirePrivate(path, mode);
    return [];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [problem(path, `a start refuses it: ${reason}`, `chmod ${mode.toString(8)} ${path}`)];
  }
}

async function checkWritable(store: string): Promise<Finding[]> {
  const data = join(store, "data.mdb");
  const findings: Finding[] = [];
  for (const [path, needed] of [
    [store, constants.R_OK | constants.W_OK | constants.X_OK],
    [data, constants.R_OK | constants.W_OK],
  ] as const) {
    if (path === data && !existsSync(data)) continue;
    const isUsable = await access(path, needed).then(
      () => true,
      () => false,
    );
    if (!isUsable) findings.push(problem(path, "this user cannot write to it", `chmod u+rwX ${path}`));
  }
  return findings;
}
