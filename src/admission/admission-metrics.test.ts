import { expect, test } from "vitest";
import { createManualClock } from "../base/clock.ts";
import { createWorld } from "./admission.suite.ts";
import { createAdmissionMetrics } from "./admission-metrics.ts";
import { createAdmission } from "./chain.ts";
import { refuse } from "./context.ts";
import type { AdmissionPlugin } from "./contract.ts";

const clock = createManualClock(0);
const slow: AdmissionPlugin = { name: "Slow", handles: () => true, mutate: () => clock.advance(50) };
const picky: AdmissionPlugin = {
  name: "Picky",
  handles: ({ operation }) => operation === "CREATE",
  async validate(request) {
    clock.advance(200);
    throw refuse(request, "no");
  },
};

test("plugins and steps are counted with the labels of v1.21, refusals separately", async () => {
  const { metrics, meter } = createAdmissionMetrics(clock);
  const check: AdmissionPlugin = { name: "Check", handles: () => true, mutate() {} };
  const chain = createAdmission([slow, picky], meter, [check]);
  const { request } = createWorld([]);
  const object = { metadata: { name: "c" } };
  for (const operation of ["CREATE", "UPDATE"] as const) {
    const made = request("configmaps", { operation, object });
    await chain.mutate(made);
    await Promise.resolve(chain.validate(made)).catch(() => undefined);
  }
  const lines = metrics.flatMap((metric) => metric.text().split("\n"));
  const counts = lines.filter((line) => /_(count|sum)\{/.test(line) && !line.includes("_summary"));
  const plugin = "apiserver_admission_controller_admission_duration_seconds";
  const step = "apiserver_admission_step_admission_duration_seconds";
  expect(counts).toEqual([
    `${plugin}_sum{name="Slow",operation="CREATE",rejected="false",type="admit"} 0.05`,
    `${plugin}_count{name="Slow",operation="CREATE",rejected="false",type="admit"} 1`,
    `${plugin}_sum{name="Picky",operation="CREATE",rejected="true",type="validate"} 0.2`,
    `${plugin}_count{name="Picky",operation="CREATE",rejected="true",type="validate"} 1`,
    `${plugin}_sum{name="Slow",operation="UPDATE",rejected="false",type="admit"} 0.05`,
    `${plugin}_count{name="Slow",operation="UPDATE",rejected="false",type="admit"} 1`,
    `${step}_sum{operation="CREATE",rejected="false",type="admit"} 0.05`,
    `${step}_count{operation="CREATE",rejected="false",type="admit"} 1`,
    `${step}_sum{operation="CREATE",rejected="true",type="validate"} 0.2`,
    `${step}_count{operation="CREATE",rejected="true",type="validate"} 1`,
    `${step}_sum{operation="UPDATE",rejected="false",type="admit"} 0.05`,
    `${step}_count{operation="UPDATE",rejected="false",type="admit"} 1`,
    `${step}_sum{operation="UPDATE",rejected="false",type="validate"} 0`,
    `${step}_count{operation="UPDATE",rejected="false",type="validate"} 1`,
  ]);
  expect(lines).toContain(`${step}_summary{operation="CREATE",rejected="true",type="validate",quantile="0.99"} 0.2`);
});
