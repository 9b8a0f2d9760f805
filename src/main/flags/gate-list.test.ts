import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { describeFlags } from "../../base/flags/help.ts";
import { describeGates, gatesPage } from "./gate-list.ts";
import { upHelp } from "./up-flags.ts";

test("--help-all lists the gates of both levels that change something, with stage and default", () => {
  const help = describeFlags(upHelp, true);
  expect(help).toContain("Feature gates of level 1.21");
  expect(help).toMatch(/^ {2}APIServerIdentity +ALPHA, off$/m);
  expect(help).toMatch(/^ {2}APIServerIdentity +BETA, on$/m);
  expect(describeFlags(upHelp, false)).not.toContain("Feature gates of level");
  expect(describeGates()).not.toContain("CustomCPUCFSQuotaPeriod");
});

test("the page of the gates is current (npm run golden writes it)", () => {
  expect(readFileSync("docs/feature-gates.md", "utf8")).toBe(gatesPage());
});
