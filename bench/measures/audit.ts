/** Gets with auditing at Metadata to a file, beside gets without. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compareGets } from "../compare-gets.ts";
import { prepareRequest } from "../connection.ts";
import { load } from "../load.ts";
import { benchPod } from "../pod.ts";
import type { Row } from "../report.ts";
import { startOrch } from "../target.ts";

/** At most 15 % slower. */
const leastRatio = 1 / 1.15;
const podPath = "/api/v1/namespaces/default/pods";

export async function measureAudit(quick: boolean): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "orch-bench-audit-"));
  const policy = join(folder, "policy.json");
  writeFileSync(
    policy,
    JSON.stringify({ apiVersion: "audit.orch.io/v1", kind: "Policy", rules: [{ level: "Metadata" }] }),
  );
  const flags = [`--audit-policy-file=${policy}`, `--audit-log-path=${join(folder, "audit.log")}`];
  const own = await startOrch("memory", "AlwaysAllow", undefined, { limits: flags });
  const other = await startOrch("memory", "AlwaysAllow", undefined, { limits: [] });
  try {
    for (const target of [own, other]) {
      const body = JSON.stringify(benchPod("pod-0", 0));
      const request = prepareRequest("POST", podPath, target.headers, body);
      await load(target, { connections: 1, seconds: 60, operations: 1, statuses: [201], request: () => request });
    }
    const request = prepareRequest("GET", `${podPath}/pod-0`, own.headers);
    const compared = await compareGets({ own, other }, request, quick ? 3 : 15);
    const budget = `>= ${leastRatio.toFixed(2)} of a get without`;
    return [
      { what: "get one pod, audited at Metadata to a file", ...compared, budget, met: compared.ratio >= leastRatio },
    ];
  } finally {
    await own.close();
    await other.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
