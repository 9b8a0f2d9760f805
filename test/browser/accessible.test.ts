import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { missingBrowser } from "./chromium.ts";
import { type ConsoleSession, goTo, openConsoleSession } from "./console-session.ts";

interface Found {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/** What depends on colours is all that another choice of them can change. */
const rules = { light: "{}", dark: '{ runOnly: ["color-contrast"] }' } as const;

/** `part`: what differs between views; everything around it is the same in all of them. */
async function violations(page: Page, colorScheme: "light" | "dark", part: "document" | '"main"'): Promise<string[]> {
  const { violations } = (await page.evaluate(`axe.run(${part}, ${rules[colorScheme]})`)) as Found; // what axe documents
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

describe.skipIf(missingBrowser !== undefined)("the console for everybody", { timeout: 240_000 }, () => {
  let opened: ConsoleSession;
  beforeAll(async () => {
    opened = await openConsoleSession({ faultPlans: true, forks: true, journal: true });
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

  test.each(["light", "dark"] as const)("no view has anything that axe finds: %s", async (colorScheme) => {
    const page = await opened.openView("#/overview", { colorScheme });
    // The policy of the page refuses script elements; the debugger may evaluate.
    await page.evaluate(readFileSync("node_modules/axe-core/axe.min.js", "utf8"));
    for (const [hash, heading] of views) {
      await goTo(page, hash);
      await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
      if (heading === "Requests")
        await page
          .getByRole("button", { name: /request \d/ })
          .first()
          .click();
      if (hash.endsWith("talker")) await page.getByRole("heading", { name: "Containers" }).waitFor();
      await page.waitForTimeout(300);
      expect(await violations(page, colorScheme, hash === views[0][0] ? "document" : '"main"'), hash).toEqual([]);
    }
  });
});
