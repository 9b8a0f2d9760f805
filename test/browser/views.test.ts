import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { makeRequest } from "../../src/base/certificate.suite.ts";
import type { RunOptions } from "../../src/ctl/session.suite.ts";
import { missingBrowser } from "./chromium.ts";
import { bidirectional, type ConsoleSession, goTo, hostile, openConsoleSession } from "./console-session.ts";

describe.skipIf(missingBrowser !== undefined)("access and the API in the console", { timeout: 120_000 }, () => {
  let opened: ConsoleSession;
  let page: Page;
  /** Hundreds of questions on a machine that may be busy. */
  const patient = { timeout: 30_000 };
  const rbac = "/apis/rbac.authorization.orch.io/v1";

  beforeAll(async () => {
    opened = await openConsoleSession({ runtimeConfig: { "access.orch.io/v1alpha1": true } });
    await opened.configMap("plain");
    await opened.create(`${rbac}/clusterroles`, {
      kind: "ClusterRole",
      apiVersion: "rbac.authorization.orch.io/v1",
      metadata: { name: "reader" },
      rules: [{ verbs: ["get", "list", "watch"], apiGroups: [""], resources: ["configmaps"] }],
    });
    const subject = { kind: "User", name: "jane", apiGroup: "rbac.authorization.orch.io" };
    await opened.create(`${rbac}/namespaces/default/rolebindings`, {
      kind: "RoleBinding",
      apiVersion: "rbac.authorization.orch.io/v1",
      metadata: { name: "jane-views" },
      subjects: [subject, { ...subject, name: `${hostile}${bidirectional}` }],
      roleRef: { kind: "ClusterRole", name: "reader", apiGroup: "rbac.authorization.orch.io" },
    });
  });
  afterEach(() => opened.closePage());
  afterAll(() => opened?.close());

  test("say whether somebody may do something, and which binding allows it", async () => {
    page = await opened.openView("#/access");
    await page.getByLabel("User").fill("jane");
    await page.getByLabel("Resource").fill("configmaps");
    await page.getByRole("button", { name: "Check", exact: true }).click();
    await page.getByText("jane may get configmaps.").waitFor();
    await page.getByRole("region", { name: "Allowed by" }).getByText("jane-views").waitFor();
    await page.getByRole("button", { name: "Try it as them" }).click();
    await page.getByText("The server answers 200 to jane, who wants to get configmaps.").waitFor();
    await page.getByLabel("Verb").selectOption("delete");
    await page.getByRole("button", { name: "Check", exact: true }).click();
    await page.getByText("jane may not delete configmaps.").waitFor();
    await page.getByText("The smallest rule that would allow it").waitFor();
    await opened.picture("console-access");
    await page.getByLabel("Verb").selectOption("get");
    await page.getByRole("button", { name: "Who can?" }).click();
    await page.getByRole("rowheader", { name: hostile }).waitFor();
  });

  test("show the rights of somebody as a matrix", async () => {
    page = await opened.openView("#/access");
    await page.getByLabel("User").fill("jane");
    await page.getByRole("button", { name: "Show all permissions" }).click();
    const row = page.getByRole("row", { name: /^configmaps/ });
    await expect
      .poll(() => row.getByRole("cell").allTextContents(), patient)
      .toEqual(["yes", "yes", "yes", "no", "no", "no", "no"]);
    const secrets = page.getByRole("row", { name: /^secrets/ });
    await expect.poll(() => secrets.getByRole("cell").first().textContent(), patient).toBe("no");
    await opened.picture("console-matrix");
    await page.getByLabel("User").fill("john");
    await page.getByRole("button", { name: "Show all permissions" }).waitFor();
  });

  test("decode a certificate request, and approve it", async () => {
    const { pem } = makeRequest([
      ["2.5.4.10", "operators"],
      ["2.5.4.3", "kate"],
    ]);
    const request = Buffer.from(pem).toString("base64");
    await opened.create("/apis/certificates.orch.io/v1/certificatesigningrequests", {
      kind: "CertificateSigningRequest",
      apiVersion: "certificates.orch.io/v1",
      metadata: { name: "wanted" },
      spec: { request, signerName: "example.com/signer", usages: ["client auth"] },
    });
    page = await opened.openView("#/access");
    const group = page.getByRole("group", { name: /wanted/ });
    await group.getByText("kate").waitFor();
    await group.getByText("operators").waitFor();
    await opened.picture("console-certificate-requests");
    await group.getByRole("button", { name: "Approve wanted" }).click();
    await page.getByRole("group", { name: /wanted Approved/ }).waitFor();
    const conditions = await opened.session.ok("get csr wanted -o jsonpath={.status.conditions[*].type}");
    expect(conditions).toBe("Approved");
    // The list is live, and a denial asks first.
    await opened.create("/apis/certificates.orch.io/v1/certificatesigningrequests", {
      kind: "CertificateSigningRequest",
      apiVersion: "certificates.orch.io/v1",
      metadata: { name: "unwanted" },
      spec: { request, signerName: "example.com/signer", usages: ["client auth"] },
    });
    await page.getByRole("button", { name: "Deny unwanted" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Deny the request unwanted" }).click();
    await page.getByRole("group", { name: /unwanted Denied/ }).waitFor();
    for (let at = 0; at < 100; at++)
      await opened.create("/apis/certificates.orch.io/v1/certificatesigningrequests", {
        kind: "CertificateSigningRequest",
        apiVersion: "certificates.orch.io/v1",
        metadata: { name: `more-${at}` },
        spec: { request, signerName: "example.com/signer", usages: ["client auth"] },
      });
    await page.getByText("and 2 more").waitFor(patient);
    expect(await page.getByRole("main").getByRole("group").count()).toBe(100);
  });

  test("select several rows of several namespaces, and delete them after a question", async () => {
    await opened.create("/api/v1/namespaces", { kind: "Namespace", apiVersion: "v1", metadata: { name: "other" } });
    await opened.configMap("first");
    await opened.configMap("second");
    await opened.create("/api/v1/namespaces/other/configmaps", {
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: { name: "third" },
    });
    page = await opened.openView("#/objects/core/v1/configmaps?namespace=default,other");
    await page.getByText("live").waitFor();
    await page.getByRole("gridcell", { name: "third", exact: true }).waitFor();
    await opened.session.ok(["patch", "configmap", "first", "--type=merge", "-p", '{"data":{"a":"1"}}']);
    await page.locator("td.changed", { hasText: "1" }).waitFor();
    expect(await page.locator("td.changed", { hasText: "first" }).count()).toBe(0);
    expect(await page.locator("td.changed").allTextContents()).toEqual(["1"]);
    for (const name of ["second", "third"]) await page.getByLabel(`Select ${name}`).click();
    await opened.picture("console-bulk");
    await page.getByRole("button", { name: "Delete 2 …" }).click();
    await page.getByRole("dialog").getByText("third").waitFor();
    await page.getByRole("button", { name: "Delete 2 objects" }).click();
    await expect.poll(() => page.getByRole("gridcell", { name: "third", exact: true }).count(), patient).toBe(0);
    expect((await opened.session.run("get configmap second")).code).toBe(1);
    expect((await opened.session.run("get configmap first")).code).toBe(0);
  });

  test("keep a draft over a reload, until it is discarded", async () => {
    await opened.configMap("drafted", { data: { colour: "red" } });
    page = await opened.openView("#/edit/core/v1/configmaps/default/drafted");
    const field = page.getByRole("textbox", { name: "YAML" });
    await field.waitFor();
    await field.fill((await field.inputValue()).replace("red", "green"));
    await page.reload();
    await page.getByText("This is your draft from before.").waitFor();
    expect(await field.inputValue()).toContain("colour: green");
    await page.getByRole("button", { name: "Discard it" }).click();
    await expect.poll(() => field.inputValue(), patient).toContain("colour: red");
  });

  test("explain the fields of a kind, and build a request", async () => {
    page = await opened.openView("#/api");
    await page.getByLabel("Filter").fill("deploy");
    await page.getByRole("main").getByRole("link", { name: "Deployment" }).first().click();
    await page.getByRole("heading", { name: "Deployment" }).waitFor();
    await page.getByText("fields of spec").click();
    await page.getByText("replicas", { exact: true }).waitFor();
    await page.getByLabel("Verb").selectOption("delete");
    await page.getByLabel("Name", { exact: true }).fill("it's");
    await page.getByText("DELETE /apis/apps/v1/namespaces/default/deployments/it's").waitFor();
    await page.getByText(`ctl delete deployments.apps 'it'\\''s' -n default`).waitFor();
    await page.getByText(`objects.delete("default/it's")`).waitFor();
    await opened.picture("console-api");
    await page.getByLabel("Verb").selectOption("list");
    await page.getByRole("button", { name: "Send" }).click();
    await expect.poll(() => page.getByRole("textbox", { name: "Answer" }).inputValue()).toContain("DeploymentList");
  });

  test("tells a user without rights what is forbidden, in every view", async () => {
    const { server } = opened.session;
    const fetch: RunOptions["fetch"] = (path, init) =>
      server.fetch(path, { ...init, headers: { ...(init?.headers as object), "impersonate-user": "guest" } });
    page = await opened.openPage(await opened.openLink("console", { fetch }));
    await page.getByText("You may not list the objects of the whole cluster").waitFor();
    expect(await page.locator("main .card").count()).toBe(0);
    await goTo(page, "#/objects/core/v1/configmaps");
    await page
      .getByRole("alert")
      .getByText(/guest.*cannot list/)
      .waitFor();
    await goTo(page, "#/object/core/v1/configmaps/default/plain");
    await page
      .getByRole("alert")
      .getByText(/guest.*cannot list/)
      .waitFor();
    await goTo(page, "#/edit/core/v1/configmaps/default/plain");
    await page
      .getByRole("alert")
      .getByText(/guest.*cannot get/)
      .waitFor();
    await goTo(page, "#/requests");
    await page.getByRole("alert").waitFor();
    await goTo(page, "#/testing");
    await page.getByRole("alert").first().waitFor();
    await goTo(page, "#/api");
    await page.getByRole("main").getByRole("link", { name: "Deployment" }).first().waitFor();
    await goTo(page, "#/create/core/v1/configmaps/default");
    await expect.poll(() => page.getByRole("textbox", { name: "YAML" }).inputValue()).toContain("kind: ConfigMap");
    await page.getByRole("button", { name: /^Try/ }).click();
    await page
      .getByRole("alert")
      .or(page.locator(".marks span"))
      .getByText(/guest.*cannot/)
      .first()
      .waitFor();
    await goTo(page, "#/access");
    await page.getByRole("button", { name: "Check", exact: true }).click();
    await page.getByText("You may not get pods.").waitFor();
  });

  test("has the colours of the system, until the user chooses others", async () => {
    page = await opened.openPage(await opened.openLink("console"), { colorScheme: "dark" });
    const back = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    const button = page.getByRole("button", { name: "Use light colours" });
    await button.waitFor();
    expect(await back()).toBe("rgb(16, 19, 24)");
    await button.click();
    expect(await back()).toBe("rgb(255, 255, 255)");
    await page.reload();
    await page.getByRole("button", { name: "Use dark colours" }).waitFor();
    // Back to the system's: from now on the page follows it, without a reload.
    await page.getByRole("button", { name: "Use dark colours" }).click();
    await page.emulateMedia({ colorScheme: "light" });
    await expect.poll(back).toBe("rgb(255, 255, 255)");
  });
});
