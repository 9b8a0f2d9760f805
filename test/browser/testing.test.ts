import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { missingBrowser } from "./chromium.ts";
import { type ConsoleSession, hostile, openConsoleSession } from "./console-session.ts";

describe.skipIf(missingBrowser !== undefined)("a server for tests in the console", { timeout: 120_000 }, () => {
  let opened: ConsoleSession;
  beforeAll(async () => {
    const running = { controllers: ["*"], nodes: 2 } as const;
    opened = await openConsoleSession({
      vocabulary: "kubernetes",
      faultPlans: true,
      forks: true,
      journal: true,
      ...running,
    });
  });
  afterEach(() => opened.closePage());
  afterAll(() => opened?.close());

  test("plans a fault, shows its hits, and removes it", async () => {
    const page = await opened.openView("#/testing");
    await page.getByRole("link", { name: "Testing" }).waitFor();
    await page.getByLabel("Verb").fill("create");
    await page.getByLabel("Resource").fill("configmaps");
    await page.getByLabel("Effect").selectOption("answer 503");
    await page.getByRole("button", { name: "Add the fault" }).click();
    const row = page.getByRole("row", { name: /console-/ });
    await row.getByText("active").waitFor();
    await row.getByText("verb: create; resource: configmaps").waitFor();
    await expect(opened.configMap("unlucky")).rejects.toThrow();
    await expect.poll(() => row.getByRole("cell").nth(2).textContent()).toBe("1");
    await opened.picture("console-testing");
    await row.getByRole("button", { name: /^Remove/ }).click();
    await page.getByText("No faults are planned.").waitFor();
    await expect
      .poll(() =>
        opened.configMap("lucky").then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
  });

  test("forks the server, and closes the fork", async () => {
    const page = await opened.openView("#/testing");
    await page.getByRole("button", { name: "Fork the present state" }).click();
    const close = page.getByRole("button", { name: /^Close / });
    await close.waitFor();
    expect(await page.getByText(/https:\/\/127\.0\.0\.1:\d+/).count()).toBe(1);
    await close.click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Close the fork / })
      .click();
    await page.getByText("There are no forks.").waitFor();
  });

  test("shows requests as they are answered, what they change, and what admission did", async () => {
    const page = await opened.openView("#/requests?target=configmaps");
    await page.getByText("live").waitFor();
    const row = page.getByRole("row", { name: /admin create 201/ });
    const before = await row.count();
    await opened.configMap("seen", { data: { markup: hostile } });
    await expect.poll(() => row.count()).toBeGreaterThan(before);
    await row.first().getByRole("button").click();
    const details = page.getByRole("region", { name: /^Request \d/ });
    const changed = details.getByRole("region", { name: "What it changes" });
    await changed.getByRole("row", { name: /^data/ }).getByText("onerror").waitFor();
    const admitted = details.getByRole("region", { name: "Admission" });
    await admitted.getByRole("row", { name: /NamespaceLifecycle mutate allowed/ }).waitFor();
    await page.getByText("paused").waitFor();
    await details.getByRole("link", { name: "ConfigMap seen" }).waitFor();
    await opened.picture("console-requests");
    await opened.configMap("seen").catch(() => undefined);
    await page.getByRole("button", { name: "Go on" }).click();
    await page.getByLabel("Code").fill("4xx");
    await page.keyboard.press("Enter");
    await page.getByRole("row", { name: /create 409/ }).waitFor();
    await expect.poll(() => row.count()).toBe(0);
  });

  test("shows no values of secrets in requests: the server does not record them", async () => {
    await opened.create("/api/v1/namespaces/default/secrets", {
      kind: "Secret",
      apiVersion: "v1",
      metadata: { name: "hush" },
      stringData: { password: "hush-hush" },
    });
    const page = await opened.openView("#/requests?verb=create&target=secrets&user=admin");
    await page
      .getByRole("button", { name: /request \d/ })
      .first()
      .click();
    await page.getByText("Body", { exact: true }).last().click();
    await page.getByText("***").first().waitFor();
    expect(await page.content()).not.toContain("hush-hush");
  });

  test("lets simulated nodes fail and recover, and cordons them", async () => {
    const page = await opened.openView("#/testing");
    const row = page.getByRole("row", { name: /^node-1/ });
    await row.getByText("Ready", { exact: true }).waitFor();
    await row.getByRole("button", { name: "Not ready: node-1" }).click();
    const question = page.getByRole("dialog", { name: "Not ready: node-1" });
    await question.getByText("node-1 is made to fail.").waitFor();
    await row.getByText("Ready", { exact: true }).waitFor();
    await question.getByRole("button", { name: "Not ready: node-1" }).click();
    await row.getByText("NotReady").waitFor();
    await row.getByText("unready", { exact: true }).waitFor();
    await row.getByRole("button", { name: "Cordon: node-1" }).click();
    await row.getByText("NotReady, cordoned").waitFor();
    await opened.picture("console-nodes");
    await row.getByRole("button", { name: "Recover: node-1" }).click();
    await row.getByRole("button", { name: "Uncordon: node-1" }).click();
    await row.getByText("Ready", { exact: true }).waitFor();
    await page.getByText("None: pods become running and ready by themselves.").waitFor();
  });

  test("shows the containers of a pod and follows their logs", async () => {
    const annotations = { "simulation.orch.io/logs": `${hostile}\nlast line`, "simulation.orch.io/log-every": "100ms" };
    await opened.create("/api/v1/namespaces/default/pods", {
      kind: "Pod",
      apiVersion: "v1",
      metadata: { name: "talker", annotations },
      spec: {
        containers: ["main", "side"].map((name) => ({ name, image: "any" })),
      },
    });
    const page = await opened.openView("#/object/core/v1/pods/default/talker");
    const containers = page.getByRole("region", { name: "Containers of the pod" });
    await containers.getByRole("row", { name: /^main .*running.*yes 0/ }).waitFor();
    await page.keyboard.press("y");
    await page.getByText("kind: Pod").waitFor();
    await page.getByRole("link", { name: "Logs" }).waitFor();
    await page.keyboard.press("l");
    const log = page.getByRole("log");
    await expect.poll(() => log.textContent()).toContain("last line");
    const linesOf = () => log.locator(".log-line").count();
    const before = await linesOf();
    await expect.poll(linesOf).toBeGreaterThan(before);
    await opened.picture("console-logs");
    await page.getByRole("combobox").selectOption("side");
    await page.getByLabel("Search the lines").fill("nothing like this");
    await page.getByText("0 lines").waitFor();
    await page.getByLabel("Search the lines").fill("");
    await page.getByLabel("Previous run").check();
    await page
      .getByRole("alert")
      .getByText(/previous terminated container/)
      .waitFor();
  });
});

describe.skipIf(missingBrowser !== undefined)("the clock of a server for tests", { timeout: 120_000 }, () => {
  test("is read and moved in the console", async () => {
    const opened = await openConsoleSession({ journal: true, clock: { virtual: "2026-01-01T00:00:00Z" } });
    try {
      const page = await opened.openView("#/testing");
      await page.getByText("2026-01-01 00:00:00 UTC").waitFor();
      await page.getByRole("button", { name: "+ 1h" }).click();
      await page.getByText("2026-01-01 01:00:00 UTC").waitFor();
      await page.getByLabel("By").fill("for ever");
      await page.getByRole("button", { name: "Advance" }).click();
      await page
        .getByRole("alert")
        .getByText(/must say how far/)
        .waitFor();
      expect(opened.session.server.clock.now()).toBe(Date.parse("2026-01-01T01:00:00Z"));
      await opened.closePage();
    } finally {
      await opened.close();
    }
  });
});
