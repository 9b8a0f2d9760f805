import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { missingBrowser } from "./chromium.ts";
import { type ConsoleSession, goTo, openConsoleSession } from "./console-session.ts";

const prices = "#/object/core/v1/configmaps/default/prices";

describe.skipIf(missingBrowser !== undefined)("the past in the console", { timeout: 120_000 }, () => {
  let opened: ConsoleSession;
  let page: Page;
  /** When the prices were red. */
  let redAt: string;
  const colourOf = async (name: string) =>
    (await opened.session.run(`get configmap ${name} -o jsonpath={.data.colour}`)).out;

  beforeAll(async () => {
    opened = await openConsoleSession({ history: "1h" });
    await opened.configMap("prices", { data: { colour: "red" } });
    await opened.configMap("short-lived", { data: { colour: "blue" } });
    redAt = new Date().toISOString();
    await opened.session.ok(["patch", "configmap", "prices", "--type=merge", "-p", '{"data":{"colour":"green"}}']);
    await opened.session.ok("delete configmap short-lived");
  });
  afterEach(() => opened.closePage());
  afterAll(() => opened?.close());

  test("shows who changed which fields, and undoes a change after a difference", async () => {
    page = await opened.openView(`${prices}?part=history`);
    const change = page.getByRole("row", { name: /data\.colour/ });
    await change.getByText("red").waitFor();
    await change.getByText("green").waitFor();
    await page.getByRole("img", { name: /ConfigMap prices: 2 changes/ }).waitFor({ state: "attached" });
    await change.getByRole("button", { name: "Undo …" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("+  colour: red").waitFor();
    expect(await colourOf("prices")).toBe("green");
    await dialog.getByRole("button", { name: "Undo it" }).click();
    await expect.poll(() => colourOf("prices")).toBe("red");
    await page.getByText("Undid a change of").waitFor();
    // The first state of all, which is that of now: nothing to write.
    await page
      .getByRole("row", { name: /created/ })
      .getByRole("button", { name: "Restore …" })
      .click();
    await dialog.getByText("nothing would change").waitFor();
    expect(await dialog.getByRole("button", { name: "Restore it" }).isDisabled()).toBe(true);
  });

  test("shows lists and objects of another moment, which nothing can change, until one goes back to now", async () => {
    await opened.session.ok(["patch", "configmap", "prices", "--type=merge", "-p", '{"data":{"colour":"white"}}']);
    page = await opened.openView(`#/objects/core/v1/configmaps?namespace=default&at=${encodeURIComponent(redAt)}`);
    await page.getByRole("gridcell", { name: "short-lived", exact: true }).waitFor();
    expect(await page.getByRole("link", { name: "Create", exact: true }).count()).toBe(1); // that of the header
    await page.getByRole("gridcell", { name: "prices", exact: true }).click();
    await page.getByRole("main").getByText("red", { exact: true }).waitFor();
    expect(await page.evaluate("location.hash")).toContain("at=");
    expect(await page.getByRole("button", { name: "Delete …" }).count()).toBe(0);
    expect(await page.getByRole("link", { name: /^Edit/ }).count()).toBe(0);
    await goTo(page, "#/object/core/v1/configmaps/default/never");
    await page.getByText("It was not there at that moment.").waitFor();
    await goTo(page, prices);
    await page.getByRole("button", { name: "Back to now" }).click();
    await page.getByRole("main").getByText("white", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Delete …" }).waitFor();
    expect(await page.evaluate("location.hash")).not.toContain("at=");
  });

  test("moves over what is kept with a slider and from change to change, by keyboard too", async () => {
    page = await opened.openView("#/overview");
    await page.getByRole("button", { name: "Time", exact: true }).click();
    const slider = page.getByRole("slider", { name: "Moment" });
    await expect.poll(() => slider.getAttribute("aria-valuetext")).toBe("now");
    await slider.focus();
    await page.keyboard.press("Home");
    await page.getByRole("button", { name: "Back to now" }).waitFor();
    await page.getByRole("button", { name: "The next change" }).click();
    await expect.poll(() => page.evaluate("location.hash")).toContain("at=");
    await page.getByRole("button", { name: "Close the time bar" }).click();
    await slider.waitFor({ state: "detached" });
    expect(await page.evaluate("location.hash")).not.toContain("at=");
  });

  test("creates again what was deleted: with the history, and from what was seen", async () => {
    page = await opened.openView("#/object/core/v1/configmaps/default/short-lived");
    await page.getByText("It was deleted").waitFor();
    await page.getByRole("button", { name: "Create it again …" }).click();
    await page.getByRole("dialog").getByText("colour: blue").waitFor();
    await page.getByRole("button", { name: "Create short-lived" }).click();
    await expect.poll(() => colourOf("short-lived")).toBe("blue");
    await page.getByRole("button", { name: "Delete …" }).click();
    await page.getByRole("button", { name: "Delete short-lived" }).click();
    await expect.poll(() => colourOf("short-lived")).toBe("");
    await page.getByRole("button", { name: "Undo …" }).click();
    await page.getByRole("button", { name: "Create short-lived" }).click();
    await expect.poll(() => colourOf("short-lived")).toBe("blue");
  });
});
