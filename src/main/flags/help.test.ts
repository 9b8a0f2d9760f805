import { expect, test } from "vitest";
import type { Flag } from "../../base/flags/flag.ts";
import { describeFlags } from "../../base/flags/help.ts";
import { apiserverFlags } from "./apiserver-flags.ts";
import { upHelp } from "./up-flags.ts";

test("the help of `orch up` fits on a screen, and --help-all has every flag once", () => {
  expect(describeFlags(upHelp, false).split("\n").length).toBeLessThan(24);
  const all = describeFlags(upHelp, true);
  for (const [name, { deprecated }] of Object.entries<Flag>(apiserverFlags)) {
    if (deprecated !== undefined) continue;
    expect(all.split(`  --${name}`).length - 1, name).toBeGreaterThan(0);
  }
  const shown = Object.values(upHelp.flags).filter(({ deprecated }) => deprecated === undefined);
  expect(all.match(/^ {2}--/gm)).toHaveLength(shown.length);
});
