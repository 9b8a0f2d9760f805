import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createServer } from "../../src/main/library.ts";
import { adminToken } from "../cluster/call.ts";
import { startOwnServer } from "../e2e/own-server.ts";
import { missingBrowser, openBrowser } from "./chromium.ts";

/** All that is loaded before the first view, compressed. */
const pageBytesMax = 120_000;

describe.skipIf(missingBrowser !== undefined)("the ways into the console", { timeout: 120_000 }, () => {
  let browser: Browser;
  let folder: string;
  const seesPods = async (page: Page) => {
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.getByRole("navigation", { name: "Kinds" }).getByRole("link", { name: "configmaps" }).click();
    await page.getByText("live").waitFor();
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "console-"));
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test("a server in a program gives a link, until it is closed", async () => {
    const server = await createServer();
    const link = await server.consoleUrl();
    expect(await server.consoleUrl()).toBe(link);
    const page = await browser.newPage();
    await page.goto(link);
    await seesPods(page);
    await page.close();
    await server.close();
    await expect(fetch(link)).rejects.toThrow();
    await expect(server.consoleUrl()).rejects.toThrow("closed");
  });

  test("the page is small enough for a slow connection", () => {
    const bytes = ["index.html", "app.js", "app.css"].reduce(
      (sum, file) => sum + gzipSync(readFileSync(`dist/console/${file}`)).length,
      0,
    );
    expect(bytes).toBeLessThan(pageBytesMax);
  });

  test("the first view waits neither for the kinds nor for metrics", async () => {
    const server = await createServer();
    const page = await browser.newPage();
    // Neither is ever answered.
    const asked = new Set<string>();
    await page.route(/\/server\/(apis?|metrics)(\?|$)/, (route) => {
      asked.add(new URL(route.request().url()).pathname);
    });
    await page.goto(await server.consoleUrl());
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await expect.poll(() => asked.size).toBeGreaterThan(0);
    await page.close();
    await server.close();
  });

  test("`orch up` prints a link to a page that says who one is, and asks for nothing that is not served", async () => {
    const args = ["up", "--secure-port=0", `--data-dir=${join(folder, "up")}`, "--store=memory"];
    const child = spawn(process.execPath, [resolve("bin/orch"), ...args], { stdio: ["ignore", "pipe", "ignore"] });
    try {
      let text = "";
      const link = await new Promise<string>((done) => {
        child.stdout.on("data", (chunk) => {
          text += String(chunk);
          const found = /console in a browser +(\S+)/.exec(text)?.[1];
          if (found !== undefined) done(found);
        });
      });
      const page = await browser.newPage();
      const absent: string[] = [];
      page.on("response", (answer) => answer.status() === 404 && absent.push(answer.url()));
      await page.goto(link);
      await page.getByRole("link", { name: "orch-admin" }).waitFor();
      await page.getByRole("link", { name: "Server" }).click();
      for (const name of ["Event-loop delay", "Memory"])
        await page.getByRole("img", { name: new RegExp(`${name}: \\d`) }).waitFor();
      await page.getByRole("link", { name: "Overview" }).click();
      await seesPods(page);
      expect(absent, "the page asks for what the server does not have").toEqual([]);
      await page.close();
    } finally {
      const ended = new Promise((done) => child.once("exit", done));
      child.kill("SIGTERM");
      expect(await ended).toBe(0);
    }
  });

  test("a server serves the page, and a token in its memory is all that it has", async () => {
    const server = await startOwnServer(folder, ["--console", "--store=memory"]);
    try {
      const page = await browser.newPage({ ignoreHTTPSErrors: true });
      await page.goto(`https://127.0.0.1:${server.port}/console`);
      await page.getByLabel("Token").fill("wrong");
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("alert").getByText("Unauthorized").waitFor();
      await page.getByLabel("Token").fill(adminToken);
      await page.keyboard.press("Enter");
      await seesPods(page);
      const stored = await page.evaluate(
        "JSON.stringify([localStorage, sessionStorage, document.cookie, location.href])",
      );
      expect(stored).not.toContain(adminToken);
      await page.reload();
      await page.getByLabel("Token").waitFor();
      await page.close();
    } finally {
      server.child.kill("SIGTERM");
      await server.exited;
    }
  });
});
