import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type NodeServer, openNodeServer } from "../../src/ctl/streams/node-server.suite.ts";
import { createServer as createOrch } from "../../src/main/library.ts";
import { missingBrowser } from "./chromium.ts";
import { type ConsoleSession, goTo, hostile, openConsoleSession } from "./console-session.ts";

/** A program with a terminal of its own, as an agent gives it. */
const withTerminal = ["script", "-qfec", "sh", "/dev/null"];

describe.skipIf(missingBrowser !== undefined)("streams in the console", { timeout: 120_000 }, () => {
  let opened: ConsoleSession;
  let node: NodeServer;
  const openPod = async (line = "console") => {
    const env = { KUBECONFIG: node.config, PATH: process.env["PATH"] ?? "" };
    const page = await opened.openPage(await opened.openLink(line, { isConfigured: true, env }));
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await goTo(page, "#/object/core/v1/pods/default/web");
    await page.getByRole("heading", { name: "Containers" }).waitFor();
    return page;
  };

  beforeAll(async () => {
    node = await openNodeServer();
    node.behaviour = { command: withTerminal };
    await node.pod("web");
    opened = await openConsoleSession();
  });
  afterEach(() => opened.closePage());
  afterAll(async () => {
    await opened?.close();
    await node?.[Symbol.asyncDispose]();
  });

  test("a shell is used by keyboard alone, and what it writes is text", async () => {
    const page = await openPod();
    await page.getByRole("link", { name: /^Shell/ }).waitFor();
    await page.keyboard.press("h");
    await page.getByRole("button", { name: "Open a shell" }).press("Enter");
    const screen = page.getByRole("log");
    await page.getByText("leaves the terminal").waitFor();
    await page.keyboard.type(`printf '%s|\\033[31mred\\033[0m\\n' '${hostile}'`);
    await page.keyboard.press("Enter");
    await screen.getByText(`${hostile}|`).first().waitFor();
    expect(await screen.getByText("red", { exact: true }).count()).toBe(1);
    expect(await page.locator("main img").count()).toBe(0);
    await opened.picture("console-shell");
    await page.evaluate(readFileSync("node_modules/axe-core/axe.min.js", "utf8"));
    const found = (await page.evaluate("axe.run()")) as { violations: { id: string }[] }; // what axe documents
    expect(found.violations.map(({ id }) => id)).toEqual([]);
    // Keys of the page are keys of the shell, until it is left.
    await page.keyboard.type("exit 3");
    await page.keyboard.press("Enter");
    await page.getByText("It ended with 3.").waitFor();
    await page.keyboard.press("Shift+Tab");
    expect(
      await page
        .getByRole("textbox", { name: "Input of the shell in main" })
        .evaluate("document.activeElement.tagName"),
    ).not.toBe("TEXTAREA");
  });

  test("a shell of a simulated pod is typed to", async () => {
    await using server = await createOrch({ controllers: ["*"], nodes: 1 });
    const page = await opened.openPage(await server.consoleUrl());
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    const pod = {
      kind: "Pod",
      apiVersion: "v1",
      metadata: { name: "lamp" },
      spec: { containers: [{ name: "main", image: "any", env: [{ name: "COLOUR", value: "green" }] }] },
    };
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify(pod);
    const answer = await server.fetch("/api/v1/namespaces/default/pods", { method: "POST", headers, body });
    expect(answer.status).toBe(201);
    await goTo(page, "#/object/core/v1/pods/default/lamp?part=shell");
    await page.getByRole("heading", { name: "lamp" }).getByText("lamp").waitFor();
    await page.locator(".status", { hasText: "Running" }).waitFor();
    await page.getByRole("button", { name: "Open a shell" }).click();
    const screen = page.getByRole("log");
    await screen.getByText("/ #").waitFor();
    await page.keyboard.type("cd /tmp");
    await page.keyboard.press("Enter");
    await screen.getByText("/tmp #").waitFor();
    await page.keyboard.type("echo it is $COLOUR");
    await page.keyboard.press("Enter");
    await screen.getByText("it is green").waitFor();
    await page.keyboard.press("Control+d");
    await page.getByText("It ended").waitFor();
  });

  test("a port of a pod has a link on this machine, until it is ended", async () => {
    const server = createServer((_request, response) => void response.end("from the pod"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo; // it listens on a port
    const page = await openPod();
    await page.getByLabel("Port").fill(String(port));
    await page.keyboard.press("Enter");
    const link = page.getByRole("link", { name: /^127\.0\.0\.1:\d+$/ });
    const [tab] = await Promise.all([page.context().waitForEvent("page"), link.click()]);
    await tab.getByText("from the pod").waitFor();
    expect(await tab.evaluate("opener")).toBeNull();
    await tab.close();
    await page.getByRole("button", { name: `End the forwarding of port ${port}` }).click();
    await expect.poll(() => link.count()).toBe(0);
    server.close();
    server.closeAllConnections();
  });

  test("are not offered by a console that only reads", async () => {
    const page = await openPod("console --read-only");
    await page.getByRole("link", { name: /^Logs/ }).waitFor();
    expect(await page.getByRole("link", { name: /^Shell/ }).count()).toBe(0);
    expect(await page.getByRole("heading", { name: "Port forwarding" }).count()).toBe(0);
  });
});
