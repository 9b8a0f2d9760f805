import { describe, expect, test } from "vitest";
import { createMemoryFetch } from "../../http/transport/memory-exchange.ts";
import { withConsolePage } from "./served-page.ts";

const files = new Map([["/", { type: "text/html; charset=utf-8", content: Buffer.from("<title>page</title>") }]]);
const fetch = createMemoryFetch(withConsolePage((exchange) => void exchange.send(401, {}, "the chain"), files));

describe("the page at /console/", () => {
  test("needs no credential, and has a policy that allows no script but its own", async () => {
    const page = await fetch("/console/?x=1");
    expect(page.status).toBe(200);
    expect(await page.text()).toBe("<title>page</title>");
    expect(page.headers.get("content-type")).toContain("text/html");
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'; script-src 'self'");
  });

  test("says that requests need a token", async () => {
    expect(await (await fetch("/console/console.json")).json()).toMatchObject({ access: "token", server: "" });
  });

  test.each([
    ["GET", "/console", 308],
    ["POST", "/console/", 405],
    ["GET", "/console/absent", 404],
    ["GET", "/console/../api", 404],
    ["GET", "/consoles", 401],
    ["GET", "/api", 401],
  ])("%s %s is answered with %s", async (method, path, status) => {
    expect((await fetch(path, { method })).status).toBe(status);
  });
});
