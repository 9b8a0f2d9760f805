import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { missingBrowser } from "./chromium.ts";
import { type ConsoleSession, openConsoleSession } from "./console-session.ts";

interface Found {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/** The policy of the page refuses script elements; the debugger may evaluate. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(readFileSync("node_modules/axe-core/axe.min.js", "utf8"));
  const { violations } = (await page.evaluate("axe.run()")) as Found; // what axe documents
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

describe.skipIf(missingBrowser !== undefined)("the console for everybody", { timeout: 120_000 }, () => {
  let opened: ConsoleSession;
  beforeAll(async () => {
    opened = await openConsoleSession({ faultPlans: true, forks: true, journal: true });
    await opened.configMap("plain", { data: { key: "value" } });
  });
  afterEach(() => opened.closePage());
  afterAll(() => opened?.close());

  test.each([
    ["#/overview", "Overview"],
    ["#/objects/core/v1/configmaps", "ConfigMap"],
    ["#/object/core/v1/configmaps/default/plain", "plain"],
    ["#/edit/core/v1/configmaps/default/plain", "Edit ConfigMap plain"],
    ["#/create/core/v1/pods/default", "Create or apply"],
    ["#/testing", "Testing"],
    ["#/requests", "Requests"],
    ["#/access", "Access"],
    ["#/api", "API"],
    ["#/api/apps/v1/deployments", "Deployment"],
  ])("%s has nothing that axe finds, dark and light", async (hash, heading) => {
    for (const colorScheme of ["light", "dark"] as const) {
      const page = await opened.openView(hash, { colorScheme });
      await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
      await page.waitForTimeout(500);
      expect(await violations(page)).toEqual([]);
      await opened.closePage();
    }
  });
});
