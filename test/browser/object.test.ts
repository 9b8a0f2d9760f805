import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { missingBrowser } from "./chromium.ts";
import { bidirectional, type ConsoleSession, hostile, openConsoleSession } from "./console-session.ts";

describe.skipIf(missingBrowser !== undefined)("one object in the console", { timeout: 120_000 }, () => {
  let opened: ConsoleSession;
  let page: Page;
  const maps = "/api/v1/namespaces/default/configmaps";

  const send = async (method: string, path: string, body: object, type = "application/json") => {
    const { server } = opened.session;
    const answer = await server.fetch(path, { method, headers: { "content-type": type }, body: JSON.stringify(body) });
    const text = await answer.text();
    if (answer.status >= 300) throw new Error(text);
    return JSON.parse(text) as { metadata: { uid: string } }; // every object has metadata
  };
  const owned = async (name: string, owner?: { readonly name: string; readonly uid: string }) => {
    const reference = { apiVersion: "v1", kind: "ConfigMap", ...owner, controller: true, blockOwnerDeletion: true };
    const metadata = { name, ownerReferences: owner === undefined ? [] : [reference] };
    const made = await send("POST", maps, { kind: "ConfigMap", apiVersion: "v1", metadata });
    return { name, uid: made.metadata.uid };
  };

  beforeAll(async () => {
    opened = await openConsoleSession();
    const first = await owned("first");
    const second = await owned("second", first);
    await owned("third", await owned("between", second));
    await owned("stray", { name: "nobody", uid: "00000000-0000-4000-8000-000000000000" });
  });
  afterEach(() => opened.closePage());
  afterAll(() => opened?.close());

  test("shows who owns each line of its YAML, and the lines of one of them", async () => {
    const apply = (manager: string, data: object) =>
      send(
        "PATCH",
        `${maps}/shared?fieldManager=${encodeURIComponent(manager)}`,
        { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "shared" }, data },
        "application/apply-patch+yaml",
      );
    await apply("ann", { colour: "red", both: "1" });
    await apply("<b>bob</b>", { size: "large", both: "1", long: `word ${hostile} `.repeat(20) });
    page = await opened.openView("#/object/core/v1/configmaps/default/shared?part=yaml");
    const ownerOf = (line: string) =>
      page
        .getByRole("row")
        .filter({ has: page.locator("td.line").filter({ hasText: new RegExp(`^${line}$`) }) })
        .getByRole("cell")
        .first()
        .textContent();
    await expect.poll(() => ownerOf("  colour: red")).toMatch(/^ann \d+s$/);
    expect(await ownerOf("  size: large")).toMatch(/^<b>bob<\/b> \d+s$/);
    expect(await ownerOf('  both: "1"')).toMatch(/^(<b>bob<\/b> \d+s, ann \d+s|ann \d+s, <b>bob<\/b> \d+s)$/);
    expect(await ownerOf("kind: ConfigMap")).toBe("");
    await opened.picture("console-owners");
    await page.getByRole("button", { name: "Fold line", exact: false }).first().click();
    await page.keyboard.press("/");
    await page.keyboard.type("name");
    await page.getByText(/^1 of \d+$/).waitFor();
    expect(await page.locator(".owned tr.looked").textContent()).toContain("name");
    await page.keyboard.press("Enter");
    await page.getByText(/^2 of \d+$/).waitFor();
    await page.getByLabel("Search the YAML").fill("nowhere to be seen");
    await page.getByText("No line has it").waitFor();
    await page.getByLabel("Search the YAML").fill("");
    await page.getByRole("button", { name: "Unfold line", exact: false }).first().click();
    await page.getByRole("button", { name: /^ann Apply/ }).click();
    const dim = page.locator(".owned tr.dim");
    expect(await dim.filter({ hasText: "size: large" }).count()).toBe(1);
    expect(await dim.filter({ hasText: "colour: red" }).count()).toBe(0);
  });

  test("shows its owners and dependents as a tree", async () => {
    page = await opened.openView("#/object/core/v1/configmaps/default/second?part=relations");
    await page.getByRole("link", { name: "ConfigMap first" }).first().waitFor();
    const leaf = page.locator(".tree .tree .tree .tree", { hasText: "third" }).last();
    await leaf.waitFor();
    expect(await leaf.textContent()).toBe("ConfigMap third");
    await leaf.getByRole("link").click();
    await page.getByRole("heading", { name: "third" }).waitFor();
    await page.getByRole("link", { name: "Relations" }).click();
    await page.getByRole("link", { name: "ConfigMap between" }).first().waitFor();
    await page.getByRole("link", { name: "ConfigMap first" }).first().waitFor();
  });

  test("names an owner that is not there", async () => {
    page = await opened.openView("#/object/core/v1/configmaps/default/stray?part=relations");
    await page.getByText("ConfigMap nobody is not there").waitFor();
  });

  test("marks what a pod needs and does not have", async () => {
    const env = (name: string, optional: boolean) => ({ configMapRef: { name, optional } });
    const container = { name: "c", image: "i", envFrom: [env("needed", false), env("wished", true)] };
    await opened.create("/api/v1/namespaces/default/pods", {
      kind: "Pod",
      apiVersion: "v1",
      metadata: { name: "lacking" },
      spec: { containers: [container] },
    });
    page = await opened.openView("#/object/core/v1/pods/default/lacking?part=relations");
    const nodeOf = (name: string) => page.getByRole("link", { name, exact: true });
    await nodeOf("ConfigMap, environment, not there needed, failing").waitFor();
    await nodeOf("ConfigMap, environment, not there wished").waitFor();
  });

  test("says what blocks its deletion", async () => {
    await send("POST", maps, {
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: { name: "held", finalizers: ["example.com/hold"] },
    });
    await owned("kept", await owned("parent"));
    const held = await owned("blocked");
    await owned("blocking", held);
    const options = { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: "Foreground" };
    await send("DELETE", `${maps}/blocked`, options);
    page = await opened.openView("#/object/core/v1/configmaps/default/held?part=relations");
    await page.getByRole("heading", { name: "What would block its deletion" }).waitFor();
    await opened.session.ok("delete configmap held --wait=false");
    await page.getByRole("heading", { name: "What blocks its deletion" }).waitFor();
    await page.getByText("example.com/hold: The program that uses this finalizer must remove it.").waitFor();
    await page.evaluate(`void (location.hash = "#/object/core/v1/configmaps/default/blocked?part=relations")`);
    await page.getByText("foregroundDeletion: Its dependents that block it must be gone first.").waitFor();
    await expect.poll(() => page.locator("li").getByRole("link", { name: "ConfigMap blocking" }).count()).toBe(2);
  });

  test("shows its conditions as a timeline that grows", async () => {
    const groups = "/apis/apps/v1/namespaces/default/deployments";
    const template = { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image: "i" }] } };
    await send("POST", groups, {
      kind: "Deployment",
      apiVersion: "apps/v1",
      metadata: { name: "changing" },
      spec: { selector: { matchLabels: { app: "a" } }, template },
    });
    const say = (status: string, seconds: number) =>
      send(
        "PATCH",
        `${groups}/changing/status`,
        {
          status: {
            conditions: [
              {
                type: "Available",
                status,
                reason: hostile,
                message: bidirectional,
                lastTransitionTime: new Date(Date.now() + seconds * 1_000).toISOString().replace(/\.\d+/, ""),
              },
            ],
          },
        },
        "application/merge-patch+json",
      );
    await say("False", 0);
    page = await opened.openView("#/object/apps/v1/deployments/default/changing");
    await page.getByRole("img", { name: /^False since \S+$/ }).waitFor();
    await say("True", 1);
    await page.getByRole("img", { name: /^False since \S+, then True since \S+$/ }).waitFor();
    expect(await page.locator(".timeline .is-healthy").count()).toBe(1);
  });
});
