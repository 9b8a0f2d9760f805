import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { missingBrowser } from "./chromium.ts";
import { type ConsoleSession, openConsoleSession } from "./console-session.ts";

describe.skipIf(missingBrowser !== undefined)("a server for tests in the console", { timeout: 120_000 }, () => {
  let opened: ConsoleSession;
  beforeAll(async () => {
    opened = await openConsoleSession({ faultPlans: true, forks: true });
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
    await page.getByText("There are no forks.").waitFor();
  });
});
