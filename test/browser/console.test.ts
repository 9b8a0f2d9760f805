import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { RunOptions } from "../../src/ctl/session.suite.ts";
import { missingBrowser } from "./chromium.ts";
import { bidirectional, type ConsoleSession, goTo, hostile, openConsoleSession } from "./console-session.ts";

if (missingBrowser !== undefined) console.log(`tests of the console in a browser are skipped: ${missingBrowser}`);

describe.skipIf(missingBrowser !== undefined)("the console in a browser", { timeout: 120_000 }, () => {
  let opened: ConsoleSession;
  let page: Page;
  const openLink: ConsoleSession["openLink"] = (...args) => opened.openLink(...args);
  const create: ConsoleSession["create"] = (...args) => opened.create(...args);
  const configMap: ConsoleSession["configMap"] = (...args) => opened.configMap(...args);
  const picture: ConsoleSession["picture"] = (name) => opened.picture(name);
  const openPage = async (...args: Parameters<ConsoleSession["openPage"]>) => {
    page = await opened.openPage(...args);
  };
  const go = (hash: string) => goTo(page, hash);

  beforeAll(async () => {
    opened = await openConsoleSession();
    await configMap("plain", { data: { key: "value", markup: hostile, bidirectional } });
    await create("/api/v1/namespaces/default/secrets", {
      kind: "Secret",
      apiVersion: "v1",
      metadata: { name: "hush", annotations: { "x.org/last-applied-configuration": '{"data":"aHVzaC1odXNo"}' } },
      data: { password: "aHVzaC1odXNo" },
    });
    await create("/apis/apps/v1/namespaces/default/deployments", {
      kind: "Deployment",
      apiVersion: "apps/v1",
      metadata: { name: "unwell" },
      spec: {
        replicas: 3,
        selector: { matchLabels: { app: "a" } },
        template: { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image: "i" }] } },
      },
    });
    await create("/api/v1/namespaces/default/events", {
      kind: "Event",
      apiVersion: "v1",
      metadata: { name: "odd" },
      involvedObject: { kind: "ConfigMap", name: "plain", namespace: "default" },
      reason: hostile,
      message: bidirectional.repeat(50),
      source: { component: hostile },
      type: "Warning",
    });
  });
  afterEach(() => opened.closePage());
  afterAll(() => opened?.close());

  test("shows the overview, and removes the secret from the address", async () => {
    await openPage(await openLink("console"), { viewport: { width: 1200, height: 800 } });
    expect(await page.title()).toMatch(/^Overview · /);
    await page.getByRole("main").getByRole("link", { name: "Deployments" }).waitFor();
    expect(page.url()).not.toContain("secret");
    await picture("console-overview");
    await page.keyboard.press("s");
    await page.getByText(/All \d+ checks pass/).waitFor();
    await page.getByRole("img", { name: /Requests: \d/ }).waitFor();
    // A server in a program does not tell the delay of its event loop.
    await expect.poll(() => page.getByRole("img", { name: /Event-loop delay/ }).count()).toBe(0);
    expect(await page.title()).toMatch(/^Server · /);
    await go("#/nowhere/at/all");
    await page.getByRole("heading", { name: "There is no such page" }).waitFor();
    expect(page.url()).toContain("#/nowhere/at/all");
    await go("#/overview");
    await page.reload();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
  });

  test("is used by keyboard alone, and follows changes", async () => {
    const { server } = opened.session;
    let discover = () => {};
    const isAsked = new Promise<void>((resolve) => {
      discover = resolve;
    });
    let answer = () => {};
    const isPressed = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const fetch: RunOptions["fetch"] = async (path, init) => {
      if (path === "/apis") await isAsked;
      // The object is slow: what is pressed meanwhile must not be lost.
      if (path.includes("metadata.name%3Dplain")) await isPressed;
      return server.fetch(path, init);
    };
    await openPage(await openLink("console", { fetch }), { viewport: { width: 1200, height: 640 } });
    // The first view and the keys do not wait for what the server serves.
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    // A key that follows Escape at once opens the other dialog, and is not lost to the one that closes.
    await page.keyboard.press("Escape");
    await page.keyboard.press(":");
    await page.getByRole("combobox", { name: /^Kind/ }).waitFor();
    await page.keyboard.type("cm");
    await page.keyboard.press("Enter");
    await page.getByText("Reading the kinds").first().waitFor();
    discover();
    await page.getByRole("grid", { name: "configmaps" }).waitFor();
    await page.getByText("live").waitFor();
    await configMap("later");
    await page.locator("#rows tbody tr", { hasText: "later" }).waitFor();
    await picture("console-objects");
    await page.keyboard.press("/");
    await page.keyboard.type("plain");
    await expect.poll(() => page.locator("#rows tbody tr:not(.space)").count()).toBe(1);
    await page.keyboard.press("Enter");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "plain" }).waitFor();
    await page.keyboard.press("y");
    answer();
    const yaml = page.getByRole("region", { name: "YAML with the owner of each line" });
    await expect.poll(() => yaml.textContent()).toContain("onerror");
    expect(await yaml.textContent()).not.toContain("managedFields");
    await picture("console-object");
    await page.getByLabel("Managed fields").check();
    expect(await yaml.textContent()).toContain("managedFields");
    await page.getByRole("heading", { name: "plain" }).click();
    await page.keyboard.press("e");
    await page.getByRole("heading", { name: "Edit ConfigMap plain" }).waitFor();
  });

  test("shows names, labels and messages of any shape as text", async () => {
    await openPage(await openLink("console"));
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await go("#/objects/core/v1/events");
    await page.getByRole("gridcell", { name: hostile }).first().waitFor();
    expect(await page.locator("main img").count()).toBe(0);
    await go(`#/objects/core/v1/${encodeURIComponent(hostile)}`);
    await page.getByRole("alert").waitFor();
  });

  test("masks a secret until it is asked for", async () => {
    await openPage(await openLink("console"));
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await go("#/object/core/v1/secrets/default/hush?part=yaml");
    const yaml = page.getByRole("region", { name: "YAML with the owner of each line" });
    await expect.poll(() => yaml.textContent()).toContain("password: ••••••");
    expect(await page.content()).not.toContain("aHVzaC1odXNo");
    await page.getByLabel("Show the secret values").check();
    expect(await yaml.textContent()).toContain("password: aHVzaC1odXNo");
  });

  test("tries an edit, shows the difference, and resolves a conflict", async () => {
    await configMap("edited", { data: { colour: "red" } });
    await openPage(await openLink("console"));
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await go("#/edit/core/v1/configmaps/default/edited");
    const field = page.getByRole("textbox", { name: "YAML" });
    await field.waitFor();
    const draft = await field.inputValue();
    await opened.session.ok(["label", "configmap", "edited", "touched=yes"]);
    expect(await page.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await field.fill(draft.replace("red", "green"));
    await page.keyboard.press("Control+Enter");
    await page.getByText("Your changes and theirs are in different lines").waitFor();
    await page.getByRole("button", { name: "Put both together" }).click();
    expect(await field.inputValue()).toContain("touched");
    await page.getByRole("button", { name: /^Try/ }).click();
    await page.locator(".diff .added", { hasText: "colour: green" }).waitFor();
    expect(await page.locator(".diff .removed", { hasText: "touched" }).count()).toBe(0);
    await picture("console-edit");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "edited", exact: true }).waitFor();
    expect(await opened.session.ok("get configmap edited -o jsonpath={.data.colour}")).toBe("green");
  });

  test("shows what the server has against a text", async () => {
    await openPage(await openLink("console"));
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await go("#/edit/core/v1/configmaps/default/plain");
    const field = page.getByRole("textbox", { name: "YAML" });
    await field.waitFor();
    await field.fill("kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: other\n");
    await page.getByRole("button", { name: /^Try/ }).click();
    await page.getByRole("alert").getByText("does not match").waitFor();
  });

  test("deletes an object after a question with its name", async () => {
    await configMap("doomed");
    await openPage(await openLink("console"));
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await go("#/object/core/v1/configmaps/default/doomed");
    await page.getByRole("button", { name: "Delete …" }).click();
    await page.getByRole("button", { name: "Delete doomed" }).click();
    await page.getByText("It was deleted.").waitFor();
    expect((await opened.session.run("get configmap doomed")).code).toBe(1);
  });

  test("offers a read-only user nothing that changes", async () => {
    await openPage(await openLink("console --read-only"));
    await page.getByText("read-only").waitFor();
    await go("#/object/core/v1/configmaps/default/plain");
    await page.getByText("UID").waitFor();
    expect(await page.getByRole("link", { name: "Edit" }).count()).toBe(0);
    expect(await page.getByRole("button", { name: "Delete" }).count()).toBe(0);
    await go("#/object/apps/v1/deployments/default/unwell");
    await page.getByRole("heading", { name: "Rollout" }).waitFor();
    expect(await page.getByRole("button", { name: /Scale|Restart|Pause/ }).count()).toBe(0);
  });

  test("says that a running watch was cut, and is current when it goes on", async () => {
    const { server } = opened.session;
    const cut = new AbortController();
    let isDown = false;
    const fetch: RunOptions["fetch"] = async (path, init) => {
      if (isDown) throw new Error("the server is away");
      if (!path.includes("watch=true") || cut.signal.aborted) return server.fetch(path, init);
      const answer = await server.fetch(path, init);
      const ended = new TransformStream<Uint8Array, Uint8Array>();
      void answer.body?.pipeTo(ended.writable, { signal: cut.signal }).catch(() => undefined);
      return new Response(ended.readable, answer);
    };
    await configMap("before-the-cut");
    await openPage(await openLink("console", { fetch }));
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await go("#/objects/core/v1/configmaps");
    await page.getByText("live").waitFor();
    isDown = true;
    cut.abort(new Error("the connection was cut"));
    await page.getByText("The connection is lost").waitFor();
    await page.getByRole("gridcell", { name: "before-the-cut", exact: true }).waitFor();
    await configMap("during-the-cut");
    await opened.session.ok("delete configmap before-the-cut");
    isDown = false;
    await page.getByRole("gridcell", { name: "during-the-cut", exact: true }).waitFor();
    await expect.poll(() => page.getByText("The connection is lost").count()).toBe(0);
    await expect.poll(() => page.getByRole("gridcell", { name: "before-the-cut", exact: true }).count()).toBe(0);
    await configMap("after-the-cut");
    await page.getByRole("gridcell", { name: "after-the-cut", exact: true }).waitFor();
  });
});
