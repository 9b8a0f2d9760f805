import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { describeFlags } from "../../base/flags/help.ts";
import { describeGates, gatesPage } from "./gate-list.ts";
import { upHelp } from "./up-flags.ts";

test("--help-all lists the gates that change something, with their stage and default since which release", () => {
  const help = describeFlags(upHelp, true);
  expect(help).toMatch(/^ {2}APIServerIdentity +1\.21 alpha, 1\.26 beta on$/m);
  expect(describeFlags(upHelp, false)).not.toContain("Feature gates for");
  expect(describeGates()).not.toContain("CustomCPUCFSQuotaPeriod");
});

test("the page of the gates is current (npm run golden writes it)", () => {
  expect(readFileSync("docs/feature-gates.md", "utf8")).toBe(gatesPage());
});
