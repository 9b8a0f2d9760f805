/** A server, a browser, and pages of the console in it, for tests. */

import { setMaxListeners } from "node:events";
import { join, resolve } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { expect } from "vitest";
import { openSession, type RunOptions, type Session } from "../../src/ctl/session.suite.ts";
import { openBrowser } from "./chromium.ts";

/** As long as the waits of all tests: beside many other processes a page takes its time. */
const waitMsMax = 60_000;

/** Texts that would do harm as markup, or change how what follows is read. */
export const hostile = `<img src=x onerror="globalThis.isHacked=true">`;
export const bidirectional = "\u202egpj.exe \u2067abc";

export interface ConsoleSession {
  readonly session: Session;
  /** The link that a command line of ctl prints. */
  openLink(line: string, options?: RunOptions): Promise<string>;
  create(path: string, object: object): Promise<void>;
  configMap(name: string, more?: object): Promise<void>;
  openPage(link: string, options?: BrowserContextOptions): Promise<Page>;
  /** Opens `ctl console`, and goes to a view. */
  openView(hash: string, options?: BrowserContextOptions): Promise<Page>;
  /** `CONSOLE_PICTURES=folder` keeps what the tests see, for people and for the docs. */
  picture(name: string): Promise<void>;
  /** Closes the page. Nothing of any object may have become code, and the page may have reported no error. */
  closePage(): Promise<void>;
  close(): Promise<void>;
}

export const goTo = (page: Page, hash: string) => page.evaluate(`void (location.hash = ${JSON.stringify(hash)})`);

export async function openConsoleSession(options: Parameters<typeof openSession>[1] = {}): Promise<ConsoleSession> {
  const session = await openSession("ctl", { authorization: "RBAC", ...options });
  const browser: Browser = await openBrowser();
  const stop = new AbortController();
  // Each link is a command that ends with it.
  setMaxListeners(0, stop.signal);
  const running: Promise<unknown>[] = [];
  const problems: string[] = [];
  let page: Page | undefined;
  const opened: ConsoleSession = {
    session,
    openLink: (line, more = {}) =>
      new Promise((done) => {
        const consoleFolder = resolve("dist/console");
        const onOut = (out: string) => done(out.trim());
        running.push(session.run(line, { ...more, consoleFolder, onOut, signal: stop.signal }));
      }),
    async create(path, object) {
      const headers = { "content-type": "application/json" };
      const answer = await session.server.fetch(path, { method: "POST", headers, body: JSON.stringify(object) });
      if (answer.status !== 201) throw new Error(await answer.text());
    },
    configMap: (name, more = {}) =>
      opened.create("/api/v1/namespaces/default/configmaps", {
        kind: "ConfigMap",
        apiVersion: "v1",
        metadata: { name, annotations: { note: hostile }, labels: { app: "web" } },
        ...more,
      }),
    async openPage(link, more = {}) {
      page = await browser.newPage(more);
      page.setDefaultTimeout(waitMsMax);
      page.on("pageerror", (error) => problems.push(error.message));
      page.on("console", (message) => {
        // A refusal of the server is shown by the page; the browser reports its status as well.
        if (message.type() === "error" && !/Failed to load resource/.test(message.text()))
          problems.push(message.text());
      });
      await page.goto(link);
      return page;
    },
    async openView(hash, more = {}) {
      const view = await opened.openPage(await opened.openLink("console"), {
        viewport: { width: 1200, height: 800 },
        ...more,
      });
      await view.getByRole("heading", { name: "Overview" }).waitFor();
      await goTo(view, hash);
      return view;
    },
    async picture(name) {
      const folder = process.env["CONSOLE_PICTURES"];
      if (folder) await page?.screenshot({ path: join(folder, `${name}.png`) });
    },
    async closePage() {
      const isHacked = (await page?.evaluate(`"isHacked" in globalThis`)) ?? false;
      await page?.close();
      page = undefined;
      expect(isHacked).toBe(false);
      expect(problems.splice(0)).toEqual([]);
    },
    async close() {
      await browser.close();
      stop.abort();
      await Promise.all(running);
      await session[Symbol.asyncDispose]();
    },
  };
  return opened;
}
