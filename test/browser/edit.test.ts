import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { missingBrowser } from "./chromium.ts";
import { type ConsoleSession, hostile, openConsoleSession } from "./console-session.ts";

describe.skipIf(missingBrowser !== undefined)("editing in the console", { timeout: 120_000 }, () => {
  let opened: ConsoleSession;
  let page: Page;
  const editor = () => page.getByRole("textbox", { name: "YAML", exact: true });
  const typeAt = async (text: string) => {
    await editor().press("Control+End");
    await page.keyboard.type(text);
  };
  const open = async (hash: string) => {
    const schemas = async () =>
      (await page.evaluate(`performance.getEntriesByType("resource").map(({ name }) => name)`)) as string[];
    page = await opened.openView(hash);
    await editor().waitFor();
    // Completion begins when the schemas are there.
    await expect.poll(async () => (await schemas()).some((name) => name.includes("openapi"))).toBe(true);
    await page.waitForTimeout(300);
  };

  beforeAll(async () => {
    opened = await openConsoleSession();
    await opened.configMap("edited", { data: { colour: "red", size: "large" } });
  });
  afterEach(() => opened.closePage());
  afterAll(() => opened?.close());

  test("completes fields and values by keyboard, and tells what they are", async () => {
    await open("#/create");
    await typeAt("apiV");
    await page.getByRole("option", { name: "apiVersion" }).waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.type("apps");
    await page.getByRole("option", { name: "apps/v1", exact: true }).click();
    await page.keyboard.press("Enter");
    await typeAt("kind: Deployment\nspec:\nrepl");
    await page.getByRole("option", { name: "replicas" }).waitFor();
    await opened.picture("console-completion");
    await page.keyboard.press("Tab");
    await page.keyboard.type("2\npau");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Control+Space");
    await page.locator("#completions").getByRole("option", { name: "true" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    expect(await editor().inputValue()).toBe(
      "apiVersion: apps/v1\nkind: Deployment\nspec:\n  replicas: 2\n  paused: true",
    );
    await page.getByText("spec.paused").waitFor();
    await page.keyboard.press("Control+z");
    expect(await editor().inputValue()).not.toContain("paused: true");
  });

  test("writes what was typed: Enter takes a suggestion only after an arrow key", async () => {
    await open("#/create");
    await typeAt("apiVersion: v1\nkind: ConfigMap\nmetadata:\nname: typed");
    expect(await editor().inputValue()).toBe("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: typed");
  });

  test("marks what is wrong at its line, before and after the server has said it", async () => {
    await open("#/create");
    await editor().fill("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: Wrong_Name\n  nmae: x\n");
    await page.locator(".marks span", { hasText: 'unknown field "nmae"' }).waitFor();
    await editor().fill("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: Wrong_Name\n");
    await page.keyboard.press("Control+Enter");
    const mark = page.locator(".marks span", { hasText: "Invalid value" });
    await mark.waitFor();
    await page.getByRole("alert").getByText("Line 4: Invalid value").waitFor();
    expect(await page.getByRole("button", { name: "Apply" }).isDisabled()).toBe(true);
    await opened.picture("console-problems");
  });

  test("puts both changes together, and asks where they are the same lines", async () => {
    await open("#/edit/core/v1/configmaps/default/edited");
    const draft = await editor().inputValue();
    await opened.session.ok([
      "patch",
      "configmap",
      "edited",
      "--type=merge",
      "-p",
      '{"data":{"colour":"blue","new":"1"}}',
    ]);
    await editor().fill(draft.replace("red", "green").replace("size: large", "size: small"));
    await page.keyboard.press("Control+Enter");
    await page.getByRole("group", { name: "Both have changed this" }).waitFor();
    await opened.picture("console-conflict");
    await page.getByLabel("Leave theirs").check();
    await page.getByRole("button", { name: "Put both together" }).click();
    expect(await editor().inputValue()).toMatch(/colour: blue\n {2}new: "1"\n/);
    expect(await editor().inputValue()).toContain("size: small");
    await page.getByRole("button", { name: /^Try/ }).click();
    await page.locator(".diff .added", { hasText: "size: small" }).waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "edited", exact: true }).waitFor();
    expect(await opened.session.ok("get configmap edited -o jsonpath={.data.colour}/{.data.size}")).toBe("blue/small");
  });

  test("makes a sample of a kind, which can be tried", async () => {
    await open("#/create");
    await page.getByLabel("Kind of a sample").fill("pods");
    await page.getByRole("button", { name: "Insert a sample" }).click();
    await expect.poll(() => editor().inputValue()).toMatch(/kind: Pod\n[\s\S]*containers:\n {4}- name: main/);
    await opened.picture("console-sample");
    await editor().fill((await editor().inputValue()).replace("image: nginx", "image: web"));
    await page.getByRole("button", { name: /^Try/ }).click();
    await page.locator(".diff .added", { hasText: "image: web" }).waitFor();
    await page.reload();
    await expect.poll(() => editor().inputValue()).toContain("kind: Pod");
  });

  test("has a form beside the text, which changes it and follows it", async () => {
    await open("#/create/apps/v1/deployments/default");
    await expect.poll(() => editor().inputValue()).toContain("kind: Deployment");
    const form = page.getByRole("region", { name: "Form" });
    const replicas = form.getByLabel("replicas", { exact: true });
    await replicas.fill("3");
    await replicas.press("Tab");
    await expect.poll(() => editor().inputValue()).toMatch(/^ {2}replicas: 3$/m);
    await form.getByLabel("paused").selectOption("true");
    await expect.poll(() => editor().inputValue()).toMatch(/^ {2}paused: true$/m);
    await opened.picture("console-form");
    await editor().fill((await editor().inputValue()).replace("replicas: 3", "replicas: 5"));
    await expect.poll(() => replicas.inputValue()).toBe("5");
    await page.getByRole("button", { name: "Form" }).click();
    await expect.poll(() => form.count()).toBe(0);
  });

  test("applies a file that is dropped, with several objects, and asks about fields of others", async () => {
    const headers = { "content-type": "application/apply-patch+yaml" };
    const body = `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"shared"},"data":{"a":"1","b":"1"}}`;
    const path = "/api/v1/namespaces/default/configmaps/shared?fieldManager=ann";
    expect((await opened.session.server.fetch(path, { method: "PATCH", headers, body })).status).toBe(201);
    page = await opened.openView("#/objects/core/v1/configmaps");
    await page.getByText("live").waitFor();
    const file = `apiVersion: v1
kind: Namespace
metadata:
  name: dropped
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: inside
  namespace: dropped
data:
  markup: '${hostile}'
---
apiVersion: apiextensions.orch.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.org
spec:
  group: example.org
  scope: Namespaced
  names:
    plural: widgets
    kind: Widget
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
---
apiVersion: example.org/v1
kind: Widget
metadata:
  name: first
  namespace: dropped
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: shared
data:
  a: "2"
  b: "2"
  c: "2"
`;
    await page.evaluate(`{
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([${JSON.stringify(file)}], "objects.yaml"));
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
    }`);
    await page.getByRole("heading", { name: "Create or apply" }).waitFor();
    await expect.poll(() => editor().inputValue()).toBe(file);
    await page.getByRole("button", { name: /^Try/ }).click();
    await page.getByText("It is tried when its namespace is there.").waitFor();
    await page.getByText("It is tried when its definition is there.").waitFor();
    await page.locator(".marks span", { hasText: 'conflict with "ann"' }).first().waitFor();
    await opened.picture("console-apply");
    await page.getByRole("button", { name: "Leave .data.a to them" }).click();
    expect(await editor().inputValue()).not.toContain('a: "2"');
    await page.getByRole("button", { name: /^Try/ }).click();
    await page.getByRole("button", { name: "Force my values" }).click();
    await page.locator(".diff .added", { hasText: 'b: "2"' }).waitFor();
    await page.getByRole("button", { name: "Apply", exact: true }).click();
    await page.getByRole("grid", { name: "namespaces" }).waitFor();
    const data = await opened.session.ok("get configmap shared -o jsonpath={.data.a}{.data.b}{.data.c}");
    expect(data).toBe("122");
    expect((await opened.session.run("get configmap inside -n dropped")).code).toBe(0);
    expect((await opened.session.run("get widget first -n dropped")).code).toBe(0);
    await page.getByRole("navigation").getByRole("link", { name: "widgets" }).waitFor();
  });
});
