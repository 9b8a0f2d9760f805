/** Files that the server reads at its start and that often prevent it: read in the same way. */

import { silentLog } from "../../base/log.ts";
import { vocabularyOf } from "../../vocabulary/by-name.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { readPolicy } from "../audit.ts";
import type { ApiServerFlags } from "../programs/apiserver.ts";
import { vocabularyOfFolder } from "../stores/data-folder.ts";
import { type DoctorCheck, type Finding, ok, problem, warning } from "./contract.ts";
import { checkEncryption } from "./encryption.ts";

export const configurationCheck: DoctorCheck = {
  name: "configuration",
  async run({ flags }) {
    const known = await vocabularyOfFolder(flags["data-dir"]);
    const vocabulary = vocabularyOf(known === "kubernetes" || known === "orch" ? known : flags.vocabulary);
    return [...(await checkEncryption(flags, vocabulary)), ...(await checkAudit(flags, vocabulary))];
  },
};

async function checkAudit(flags: ApiServerFlags, vocabulary: Vocabulary): Promise<readonly Finding[]> {
  const path = flags["audit-policy-file"];
  const hasBackend = flags["audit-log-path"] !== "" || flags["audit-webhook-config-file"] !== "";
  const advice = "give --audit-policy-file and --audit-log-path or --audit-webhook-config-file: docs/audit.md";
  if (path === "") {
    if (!hasBackend) return [ok("auditing", "is off")];
    return [warning("auditing", "nothing is recorded: --audit-policy-file is not set", advice)];
  }
  try {
    await readPolicy(path, vocabulary.group("audit.orch.io"), silentLog);
  } catch (error) {
    return [problem("auditing", reasonOf(error), "repair the file: docs/audit.md shows its form")];
  }
  if (!hasBackend) return [warning("auditing", "nothing is recorded: events have nowhere to go", advice)];
  return [ok("auditing", `${path} is valid`)];
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
