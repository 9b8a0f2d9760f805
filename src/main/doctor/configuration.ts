/** Files that the server reads at its start and that often prevent it: read in the same way. */

import { systemClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import { vocabularyOf } from "../../vocabulary/by-name.ts";
import { vocabularyOfFolder } from "../data-folder.ts";
import { openFlagEncryption } from "../encryption.ts";
import { type DoctorCheck, ok, problem } from "./contract.ts";

export const configurationCheck: DoctorCheck = {
  name: "configuration",
  async run({ flags }) {
    const path = flags["encryption-provider-config"];
    if (path === "") return [ok("encryption", "objects are stored as they are")];
    const known = await vocabularyOfFolder(flags["data-dir"]);
    const vocabulary = vocabularyOf(known === "kubernetes" || known === "orch" ? known : flags.vocabulary);
    try {
      const encryption = await openFlagEncryption({ path, vocabulary, clock: systemClock, log: silentLog });
      const results = await Promise.allSettled(encryption.checks().map(({ check }) => check()));
      encryption.close();
      const failed = results.flatMap((result) => (result.status === "rejected" ? [reasonOf(result.reason)] : []));
      if (failed.length === 0) return [ok("encryption", `${path} is valid`)];
      return failed.map((message) => problem("encryption", message, "start the KMS plugin, or repair its endpoint"));
    } catch (error) {
      return [problem("encryption", reasonOf(error), "repair the file: docs/encryption.md shows its form")];
    }
  },
};

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
