import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { missingBrowser } from "./chromium.ts";
import { type ConsoleSession, goTo, openConsoleSession } from "./console-session.ts";

/** How many items a table shows, as in src/console/views/list-table.tsx. */
const listedItemsMax = 500;

/** A server of the newest level with the names of existing clients; `testing.test.ts` has one of the oldest. */
describe.skipIf(missingBrowser !== undefined)(
  "what can be done to objects in the console",
  { timeout: 120_000 },
  () => {
    let opened: ConsoleSession;
    let page: Page;
    const patient = { timeout: 30_000 };
    const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "web" }] } };
    const read = (line: string) => opened.session.ok(line);
    const dialog = () => page.getByRole("dialog");

    beforeAll(async () => {
      opened = await openConsoleSession({
        vocabulary: "kubernetes",
        emulatedVersion: "1.35",
        controllers: ["*"],
        nodes: 2,
        journal: true,
      });
      await opened.create("/apis/apps/v1/namespaces/default/deployments", {
        kind: "Deployment",
        apiVersion: "apps/v1",
        metadata: { name: "web" },
        spec: { replicas: 1, selector: { matchLabels: { app: "web" } }, template },
      });
      const spec = { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "job" }] } } };
      await opened.create("/apis/batch/v1/namespaces/default/cronjobs", {
        kind: "CronJob",
        apiVersion: "batch/v1",
        metadata: { name: "nightly" },
        spec: { schedule: "0 3 1 1 *", jobTemplate: { spec } },
      });
      await opened.create("/api/v1/namespaces/default/secrets", {
        kind: "Secret",
        apiVersion: "v1",
        metadata: { name: "hush" },
        stringData: { password: "open sesame" },
      });
    });
    afterEach(() => opened.closePage());
    afterAll(() => opened?.close());

    test("changes several objects after a preview, and takes the last change of one back", async () => {
      for (const name of ["one", "two"]) await opened.configMap(name, { data: { colour: "red" } });
      await opened.session.ok("label configmap two team=lamps");
      page = await opened.openView("#/objects/core/v1/configmaps?namespace=default");
      await page.getByText("live").waitFor();
      for (const name of ["one", "two"]) await page.getByRole("checkbox", { name: `Select ${name}` }).click();
      await page.getByRole("button", { name: "Change 2 …" }).click();
      await dialog().getByLabel("What").selectOption("Set a label");
      await dialog().getByLabel("Key").fill("team");
      await dialog().getByLabel("Value").fill("lamps");
      await page.keyboard.press("Enter");
      await dialog().getByText("1 of 2 would change").waitFor(patient);
      await dialog().getByText("nothing would change").waitFor();
      await dialog().getByText("one", { exact: true }).click();
      await dialog().locator(".added", { hasText: "team: lamps" }).waitFor();
      expect(await read("get configmap one -o jsonpath={.metadata.labels.team}")).toBe("");
      await opened.picture("console-bulk");
      await dialog().getByRole("button", { name: "Change 1 objects" }).click();
      await expect.poll(() => dialog().count()).toBe(0);
      expect(await read("get configmap one -o jsonpath={.metadata.labels.team}")).toBe("lamps");
      await goTo(page, "#/edit/core/v1/configmaps/default/one");
      const field = page.getByRole("textbox", { name: "YAML" });
      await field.waitFor();
      await field.fill((await field.inputValue()).replace("colour: red", "colour: blue"));
      await page.keyboard.press("Control+Enter");
      await page.locator(".diff .added").waitFor();
      await page.keyboard.press("Control+Enter");
      await page.getByText("Saved").waitFor(patient);
      expect(await read("get configmap one -o jsonpath={.data.colour}")).toBe("blue");
      await page.getByRole("button", { name: "Undo …" }).click();
      await dialog().locator(".added", { hasText: "colour: red" }).waitFor(patient);
      await dialog().getByRole("button", { name: "Write it as it was" }).click();
      await expect.poll(() => page.getByRole("button", { name: "Undo …" }).count()).toBe(0);
      expect(await read("get configmap one -o jsonpath={.data.colour}")).toBe("red");
    });

    test("scales, restarts and pauses a deployment, and leads to its pods", async () => {
      page = await opened.openView("#/object/apps/v1/deployments/default/web");
      await page.getByRole("button", { name: "Scale …" }).click();
      const replicas = dialog().getByLabel("Replicas of web, which are 1 now");
      await replicas.fill("2");
      await opened.picture("console-scale");
      await page.keyboard.press("Enter");
      await page.getByText("2 of 2 ready").first().waitFor(patient);
      expect(await read("get deployment web -o jsonpath={.spec.replicas}")).toBe("2");
      await page.getByRole("button", { name: "Restart …" }).click();
      await dialog().getByText("Restart web? Its pods are replaced").waitFor();
      await page.getByRole("button", { name: "Restart web" }).click();
      await expect.poll(() => dialog().count()).toBe(0);
      expect(await read("get deployment web -o jsonpath={.spec.template.metadata.annotations}")).toContain(
        "restartedAt",
      );
      await page.getByRole("button", { name: "Pause" }).click();
      await page.getByRole("button", { name: "Resume" }).click();
      await page.getByRole("button", { name: "Pause" }).waitFor();
      await page.getByRole("main").getByRole("link", { name: "Pods", exact: true }).click();
      await page.getByRole("grid", { name: "pods" }).waitFor();
      await expect.poll(() => page.locator("#rows tbody tr:not(.space)").count(), patient).toBeGreaterThanOrEqual(2);
    });

    test("starts a job of a cron job, and suspends its schedule", async () => {
      page = await opened.openView("#/object/batch/v1/cronjobs/default/nightly");
      await page.getByRole("button", { name: "Suspend …" }).click();
      await page.getByRole("button", { name: "Suspend nightly" }).click();
      await page.getByRole("button", { name: "Resume" }).waitFor();
      await page.getByRole("button", { name: "Start now …" }).click();
      await page.getByRole("button", { name: "Start a job of nightly" }).click();
      await page.getByRole("heading", { name: /^nightly-manual-/ }).waitFor();
      await page.getByRole("article").getByRole("link", { name: "CronJob nightly" }).waitFor();
    });

    test("cordons and drains a node after a question with its pods", async () => {
      const name = (await read("get pods -l app=web -o jsonpath={.items[0].spec.nodeName}")).trim();
      await opened.create("/api/v1/namespaces/default/pods", {
        kind: "Pod",
        apiVersion: "v1",
        metadata: { name: "alone" },
        spec: { nodeName: name, containers: [{ name: "c", image: "web" }] },
      });
      page = await opened.openView(`#/object/core/v1/nodes/-/${name}`);
      await page.getByRole("button", { name: "Cordon", exact: true }).click();
      await page.getByRole("button", { name: "Uncordon" }).waitFor();
      await page.getByRole("button", { name: "Drain …" }).click();
      await dialog().getByText("alone in default, leaves, and nothing makes it again").waitFor();
      await opened.picture("console-drain");
      await page.getByRole("button", { name: `Drain ${name}` }).click();
      await expect.poll(() => dialog().count(), patient).toBe(0);
      await expect
        .poll(() => read(`get pods --field-selector spec.nodeName=${name} --no-headers`).catch(() => ""), patient)
        .not.toContain("Running");
    });

    test("names each policy that was applied to a request", async () => {
      const base = "/apis/admissionregistration.k8s.io/v1";
      const rule = { operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] };
      await opened.create(`${base}/validatingadmissionpolicies`, {
        metadata: { name: "strict" },
        spec: {
          matchConstraints: { resourceRules: [rule] },
          validations: [{ expression: "object.metadata.name != 'bad'", message: "not bad" }],
        },
      });
      await opened.create(`${base}/validatingadmissionpolicybindings`, {
        metadata: { name: "strict-everywhere" },
        spec: { policyName: "strict", validationActions: ["Deny"] },
      });
      await expect.poll(() => opened.configMap("bad").then(String, String), patient).toContain("not bad");
      page = await opened.openView("#/requests?verb=create&target=configmaps&code=422");
      await page
        .getByRole("button", { name: /request \d/ })
        .first()
        .click();
      const admitted = page.getByRole("region", { name: "Admission" });
      await admitted.getByRole("row", { name: /strict of strict-everywhere validate refused not bad/ }).waitFor();
      // What was refused is not there: it has no link.
      expect(
        await page
          .getByRole("region", { name: /^Request \d/ })
          .getByRole("link")
          .count(),
      ).toBe(0);
    });

    test("decodes a secret when it is asked to, copies a name and saves the YAML", async () => {
      page = await opened.openView("#/object/core/v1/secrets/default/hush?part=yaml", {
        permissions: ["clipboard-read", "clipboard-write"],
      });
      await page.getByLabel("Show the secret values").check();
      const values = page.getByRole("region", { name: "Decoded values" });
      await values.getByText("open sesame").waitFor();
      await values.getByRole("button", { name: "Copy password" }).click();
      expect(await page.evaluate("navigator.clipboard.readText()")).toBe("open sesame");
      await page.getByRole("button", { name: "Copy name" }).click();
      await page.getByRole("button", { name: "Copied" }).first().waitFor();
      expect(await page.evaluate("navigator.clipboard.readText()")).toBe("hush");
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Download" }).click(),
      ]);
      expect(download.suggestedFilename()).toBe("hush.yaml");
      const keys = Array.from({ length: listedItemsMax + 5 }, (_, at) => [`key-${at}`, "x"] as const);
      await opened.create("/api/v1/namespaces/default/secrets", {
        kind: "Secret",
        apiVersion: "v1",
        metadata: { name: "many" },
        stringData: Object.fromEntries(keys),
      });
      await goTo(page, "#/object/core/v1/secrets/default/many?part=yaml");
      await page.getByRole("heading", { name: "many" }).waitFor();
      await page.getByLabel("Show the secret values").check();
      await page.getByText("and 5 more").waitFor();
    });

    test("keeps the namespace from kind to kind, and opens rows by keys", async () => {
      page = await opened.openView("#/objects/apps/v1/deployments?namespace=default&filter=web");
      await page.getByText("live").waitFor();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("y");
      await page.getByRole("heading", { name: "web", level: 1 }).waitFor();
      await page.keyboard.press("Escape");
      await expect.poll(() => page.getByLabel("Filter").inputValue()).toBe("web");
      await page.keyboard.press(":");
      await page.keyboard.type("po");
      await page.keyboard.press("Enter");
      await page.getByRole("grid", { name: "pods" }).waitFor();
      expect(await page.getByRole("combobox", { name: "Namespace" }).inputValue()).toBe("default");
      await page.getByText("live").waitFor();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Control+d");
      await dialog().getByText("Objects that they own are deleted with them.").waitFor();
      await page.keyboard.press("Escape");
      await page.keyboard.press("l");
      await page.getByRole("region", { name: "Logs" }).getByLabel("Search the lines").waitFor();
      // From tab to tab as well.
      await page.keyboard.press("y");
      await page.getByRole("region", { name: "YAML", exact: true }).waitFor();
      await page.keyboard.press("l");
      await page.getByRole("region", { name: "Logs" }).waitFor();
      await page.keyboard.press(":");
      await page.keyboard.type("cm kube-system");
      await page.keyboard.press("Enter");
      await page.getByRole("grid", { name: "configmaps" }).waitFor();
      expect(await page.getByRole("combobox", { name: "Namespace" }).inputValue()).toBe("kube-system");
      await page.goBack();
      await page.getByRole("region", { name: "Logs" }).waitFor();
    });
  },
);
