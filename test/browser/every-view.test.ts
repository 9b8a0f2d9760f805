import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { makeRequest } from "../../src/base/certificate.suite.ts";
import { missingBrowser } from "./chromium.ts";
import { bidirectional, type ConsoleSession, goTo, hostile, openConsoleSession } from "./console-session.ts";

const longName = `long-${"name-".repeat(49)}end`;
const longWord = "w".repeat(300);

interface VisitedView {
  readonly name: string;
  readonly hash: string;
  readonly heading: string | RegExp;
  /** What only the data of the view shows: it is there before the view is looked at. */
  readonly shows: string | RegExp;
  /** Opens what is closed at first. */
  readonly open?: (page: Page) => Promise<unknown>;
  /** Whether it shows nothing that the server is asked for after the kinds. */
  readonly isStill?: boolean;
}

const views: readonly VisitedView[] = [
  { name: "overview", hash: "#/overview", heading: "Overview", shows: "Workloads" },
  { name: "objects", hash: "#/objects/core/v1/events", heading: /^Event/, shows: hostile },
  { name: "objects-wide", hash: "#/objects/apps/v1/deployments", heading: /^Deployment/, shows: longName },
  { name: "objects-empty", hash: "#/objects/core/v1/limitranges", heading: /^LimitRange/, shows: "No objects." },
  {
    name: "object",
    hash: `#/object/apps/v1/deployments/default/${longName}?part=yaml`,
    heading: longName,
    shows: "Deployment",
  },
  { name: "object-map", hash: "#/object/core/v1/configmaps/default/odd", heading: "odd", shows: "markup" },
  {
    name: "object-relations",
    hash: "#/object/core/v1/pods/default/talker?part=relations",
    heading: "talker",
    shows: "Owners and dependents",
  },
  {
    name: "object-access",
    hash: "#/object/core/v1/pods/default/talker?part=access",
    heading: "talker",
    shows: "Who can",
  },
  {
    name: "object-writes",
    hash: "#/object/core/v1/pods/default/talker?part=requests",
    heading: "talker",
    shows: "Update",
  },
  { name: "server", hash: "#/server", heading: "Server", shows: "Requests" },
  {
    name: "nowhere",
    hash: `#/${encodeURIComponent(hostile)}`,
    heading: "There is no such page",
    shows: "onerror",
    isStill: true,
  },
  {
    name: "object-pod",
    hash: "#/object/core/v1/pods/default/talker?part=logs",
    heading: "talker",
    shows: "Previous run",
    open: (page) => page.getByRole("log").getByText("last line").waitFor(),
  },
  { name: "object-missing", hash: "#/object/core/v1/pods/default/none", heading: "none", shows: "does not exist" },
  { name: "edit", hash: "#/edit/core/v1/configmaps/default/odd", heading: "Edit ConfigMap odd", shows: "Try" },
  {
    name: "create",
    hash: "#/create/apps/v1/deployments/default",
    heading: "Create or apply",
    shows: "Try",
    isStill: true,
  },
  { name: "access", hash: "#/access", heading: "Access", shows: "operators" },
  { name: "api", hash: "#/api", heading: "API", shows: "Deployment", isStill: true },
  { name: "api-kind", hash: "#/api/apps/v1/deployments", heading: "Deployment", shows: "fields of spec" },
  {
    name: "requests",
    hash: "#/requests?target=configmaps",
    heading: "Requests",
    shows: "configmaps",
    open: (page) =>
      page
        .getByRole("button", { name: /request \d/ })
        .first()
        .click(),
  },
  { name: "testing", hash: "#/testing", heading: "Testing", shows: "node-1" },
];

const main = (page: Page) => page.getByRole("main");

async function visit(page: Page, { hash, heading, shows, open }: VisitedView): Promise<void> {
  await goTo(page, hash);
  await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
  await main(page).getByText(shows).first().waitFor({ timeout: 30_000 });
  await open?.(page);
}

/** What a key cannot reach: rows of a grid and options are reached by arrows, and a file field by its button. */
const unreachable = (page: Page) =>
  page.evaluate(`
    [...document.querySelectorAll("main :is(a[href], button, input, select, textarea, summary):not(.unseen)")]
      .filter((one) => one.tabIndex < 0 && !one.disabled && one.closest("[role=grid], [role=listbox]") === null)
      .map((one) => one.outerHTML.slice(0, 200))`);

describe.skipIf(missingBrowser !== undefined)("every view of the console", { timeout: 240_000 }, () => {
  let opened: ConsoleSession;

  beforeAll(async () => {
    opened = await openConsoleSession({
      faultPlans: true,
      forks: true,
      journal: true,
      controllers: ["*"],
      nodes: 2,
      runtimeConfig: { "access.orch.io/v1alpha1": true },
    });
    const odd = { empty: "", long: longWord, markup: hostile, bidirectional, lines: `a\n${hostile}\n` };
    await opened.configMap("odd", { data: odd });
    await opened.create("/apis/apps/v1/namespaces/default/deployments", {
      kind: "Deployment",
      apiVersion: "apps/v1",
      metadata: {
        name: longName,
        annotations: { note: hostile },
        labels: { [`x.org/${"k".repeat(60)}`]: "v".repeat(60) },
      },
      spec: {
        replicas: 3,
        paused: true,
        selector: { matchLabels: { app: "a" } },
        template: { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image: hostile }] } },
      },
    });
    await opened.create("/api/v1/namespaces/default/events", {
      kind: "Event",
      apiVersion: "v1",
      metadata: { name: "odd" },
      involvedObject: { kind: "ConfigMap", name: "odd", namespace: "default" },
      reason: hostile,
      message: `${longWord}${bidirectional.repeat(20)}`,
      source: { component: hostile },
      type: "Warning",
    });
    const annotations = { "simulation.orch.io/logs": `${hostile}\n${longWord}${bidirectional}\nlast line` };
    await opened.create("/api/v1/namespaces/default/pods", {
      kind: "Pod",
      apiVersion: "v1",
      metadata: { name: "talker", annotations },
      spec: { containers: [{ name: "main", image: hostile.slice(0, 20) }] },
    });
    const { pem } = makeRequest([
      ["2.5.4.10", "operators"],
      ["2.5.4.3", `${hostile}${bidirectional}`],
    ]);
    await opened.create("/apis/certificates.orch.io/v1/certificatesigningrequests", {
      kind: "CertificateSigningRequest",
      apiVersion: "certificates.orch.io/v1",
      metadata: { name: "wanted" },
      spec: { request: Buffer.from(pem).toString("base64"), signerName: "example.com/signer", usages: ["client auth"] },
    });
  });
  afterEach(() => opened.closePage());
  afterAll(() => opened?.close());

  const sizes = [
    { width: 1280, colorScheme: "light" },
    { width: 360, colorScheme: "dark" },
    // The other two are for people who look at the pictures.
    ...(process.env["CONSOLE_PICTURES"]
      ? ([
          { width: 1280, colorScheme: "dark" },
          { width: 360, colorScheme: "light" },
        ] as const)
      : []),
  ] as const;

  test.each(sizes)(
    "shows texts of any shape as text, fits, and leads to everything by keyboard: %o",
    async ({ width, colorScheme }) => {
      const page = await opened.openView("#/overview", { viewport: { width, height: 800 }, colorScheme });
      for (const view of views) {
        await visit(page, view);
        expect(await page.locator("main img, main script").count(), view.name).toBe(0);
        expect(await page.evaluate("document.documentElement.scrollWidth"), view.name).toBeLessThanOrEqual(width);
        expect(await unreachable(page), view.name).toEqual([]);
        await opened.picture(`view-${view.name}-${width}-${colorScheme}`);
      }
    },
  );

  test("says that the server does not answer, in each view that asks it", async () => {
    const page = await opened.openView("#/overview");
    for (const view of views.filter(({ isStill }) => !isStill)) {
      await goTo(page, "#/api");
      await page.getByRole("heading", { name: "API", level: 1 }).waitFor();
      await page.route("**/server/**", (route) => route.abort());
      await goTo(page, view.hash);
      const said = main(page).getByRole("alert").or(main(page).getByText("The connection is lost"));
      await said
        .first()
        .waitFor({ timeout: 15_000 })
        .catch((error: unknown) => {
          throw new Error(`${view.name} does not say it`, { cause: error });
        });
      // No reassurance without data.
      expect(
        await main(page)
          .getByText(/checks pass|is wrong|are well/)
          .count(),
        view.name,
      ).toBe(0);
      await page.unroute("**/server/**");
    }
  });
});
