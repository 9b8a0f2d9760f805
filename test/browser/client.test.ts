/** `orch/client` in a page of a browser: the same calls, over the requests of the page. */

import { readFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { build } from "esbuild";
import { describe, expect, test } from "vitest";
import { createServer, nodeListener } from "../../src/main/library.ts";
import { missingBrowser, openBrowser } from "./chromium.ts";

const program = `
import { connect, ConfigMap, isForbidden, isNotFound } from "./dist/module/client-in-browser.js";
const client = await connect({ server: location.origin });
const maps = client.of(ConfigMap);
const told = [];
const stop = new AbortController();
const informers = client.informers({ namespace: "default" });
const informer = informers.of(ConfigMap);
await informer.synced;
informer.on({ add: ({ metadata }) => told.push("add " + metadata.name), update: ({ data }) => told.push("update " + data.n) });
await maps.create({ metadata: { name: "page" }, data: { n: "1" } });
await maps.patch("page", { data: { n: "2" } });
await maps.apply({ metadata: { name: "page" }, data: { more: "3" } }, { manager: "page" });
told.push(JSON.stringify((await maps.get("page")).data));
told.push("missing " + (isNotFound(await maps.get("none").catch((error) => error))));
told.push("refused " + (isForbidden(await maps.create({ metadata: { name: "x", namespace: "kube-system" } }).catch((error) => error))));
for (let tries = 0; tries < 500 && !told.includes("update 2"); tries++) await new Promise((resolve) => setTimeout(resolve, 20));
await informers.close();
document.body.textContent = [...new Set(told)].sort().join("\\n");
`;

describe.skipIf(missingBrowser !== undefined)("a page with orch/client", { timeout: 120_000 }, () => {
  test("reads, writes, watches and sees refusals, as the user of the app", async () => {
    const { outputFiles } = await build({
      stdin: { contents: program, resolveDir: process.cwd() },
      bundle: true,
      format: "esm",
      platform: "browser",
      write: false,
    });
    const script = outputFiles[0]?.text ?? "";
    expect(readFileSync("package.json", "utf8")).toContain("./dist/module/client-in-browser.js");
    await using server = await createServer({ controllers: false, authorization: "RBAC" });
    const handler = nodeListener(server.handler({ authenticate: () => ({ name: "ann", groups: ["editors"] }) }));
    await server.load([
      {
        apiVersion: "rbac.authorization.orch.io/v1",
        kind: "RoleBinding",
        metadata: { name: "editors", namespace: "default" },
        roleRef: { apiGroup: "rbac.authorization.orch.io", kind: "ClusterRole", name: "cluster-admin" },
        subjects: [{ apiGroup: "rbac.authorization.orch.io", kind: "Group", name: "editors" }],
      },
    ]);
    const app = createHttpServer((request, response) => {
      if (request.url === "/") response.end("<!doctype html><body><script type=module src=/app.js></script>");
      else if (request.url === "/app.js") response.setHeader("content-type", "text/javascript").end(script);
      else handler(request, response);
    });
    await new Promise<void>((resolve) => app.listen(0, "127.0.0.1", resolve));
    const browser = await openBrowser();
    try {
      const page = await browser.newPage();
      const errors: string[] = [];
      page.on("pageerror", (error) => errors.push(error.message));
      await page.goto(`http://127.0.0.1:${(app.address() as AddressInfo).port}/`);
      await expect
        .poll(async () => (errors.length > 0 ? errors.join() : page.locator("body").textContent()))
        .toBe(["add page", "missing true", "refused true", "update 2", '{"more":"3","n":"2"}'].join("\n"));
    } finally {
      await browser.close();
      app.closeAllConnections();
      app.close();
    }
  });
});
