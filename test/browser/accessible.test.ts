import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { missingBrowser } from "./chromium.ts";
import { type ConsoleSession, goTo, openConsoleSession } from "./console-session.ts";

interface Found {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/** What depends on colours is all that another choice of them can change. */
const rules = { light: {}, dark: { runOnly: ["color-contrast"] } } as const;

/** The frame is the same around all views: it is looked at once, and then what stands in it. */
async function violations(page: Page, where: "document" | "main"): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const options = JSON.stringify({ resultTypes: ["violations"], ...rules[colorScheme] });
    const scope = where === "document" ? "document" : `document.querySelector("main")`;
    const { violations } = (await page.evaluate(`axe.run(${scope}, ${options})`)) as Found; // what axe documents
    found.push(
      ...violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${colorScheme} ${id}: ${html.slice(0, 200)}`)),
    );
  }
  return found;
}

describe.skipIf(missingBrowser !== undefined)("the console for everybody", { timeout: 240_000 }, () => {
  let opened: ConsoleSession;
  beforeAll(async () => {
    opened = await openConsoleSession({ faultPlans: true, forks: true, journal: true, history: "1h" });
    await opened.configMap("plain", { data: { key: "value" } });
    await opened.create("/api/v1/namespaces/default/serviceaccounts", {
      kind: "ServiceAccount",
      apiVersion: "v1",
      metadata: { name: "default" },
    });
    await opened.create("/api/v1/namespaces/default/pods", {
      kind: "Pod",
      apiVersion: "v1",
      metadata: { name: "talker" },
      spec: { containers: [{ name: "main", image: "any" }], automountServiceAccountToken: false },
    });
  });
  afterEach(() => opened.closePage());
  afterAll(() => opened?.close());

  const views = [
    ["#/overview", "Overview"],
    ["#/objects/core/v1/configmaps", "ConfigMap"],
    ["#/object/core/v1/configmaps/default/plain", "plain"],
    ["#/object/core/v1/pods/default/talker", "talker"],
    ["#/object/core/v1/pods/default/talker?part=yaml", "talker"],
    ["#/object/core/v1/pods/default/talker?part=relations", "talker"],
    ["#/object/core/v1/pods/default/talker?part=access", "talker"],
    ["#/object/core/v1/pods/default/talker?part=requests", "talker"],
    ["#/object/core/v1/pods/default/talker?part=logs", "talker"],
    ["#/object/core/v1/pods/default/talker?part=history", "talker"],
    ["#/server", "Server"],
    ["#/nowhere", "There is no such page"],
    ["#/edit/core/v1/configmaps/default/plain", "Edit ConfigMap plain"],
    ["#/create/core/v1/pods/default", "Create or apply"],
    ["#/testing", "Testing"],
    ["#/requests?target=configmaps", "Requests"],
    ["#/access", "Access"],
    ["#/api", "API"],
    ["#/api/apps/v1/deployments", "Deployment"],
  ] as const;

  test("no view has anything that axe finds, in both colours", async () => {
    // Colours that are on their way to others have no contrast that counts.
    const page = await opened.openView("#/overview", { reducedMotion: "reduce" });
    // The policy of the page refuses script elements; the debugger may evaluate.
    await page.evaluate(readFileSync("node_modules/axe-core/axe.min.js", "utf8"));
    const past = `#/objects/core/v1/pods?at=${encodeURIComponent(new Date().toISOString())}`;
    for (const [at, [hash, heading]] of [...views, [past, "Pods"] as const].entries()) {
      await goTo(page, hash);
      await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
      if (heading === "Requests")
        await page
          .getByRole("button", { name: /request \d/ })
          .first()
          .click();
      if (hash.endsWith("talker")) await page.getByRole("heading", { name: "Containers" }).waitFor();
      if (hash.endsWith("history")) await page.getByRole("row", { name: /created/ }).waitFor();
      await expect.poll(() => page.locator("main .waiting").count()).toBe(0);
      expect(await violations(page, at === 0 ? "document" : "main"), hash).toEqual([]);
    }
  });
});
