import { expect, test } from "vitest";
import { rewriteUrl } from "./rewrite-url.ts";

const prefix = "/api/v1/namespaces/a/services/web/proxy";
const context = { prefix, requestHost: "api.test:6443", backendHost: "10.0.0.5:80" };

const cases: [why: string, url: string, expected: string][] = [
  ["an absolute path is meant for the backend", "/style.css", `${prefix}/style.css`],
  ["the trailing slash stays", "/docs/", `${prefix}/docs/`],
  ["query and fragment stay", "/a?b=/c#d", `${prefix}/a?b=/c#d`],
  ["a relative link works unchanged", "style.css", "style.css"],
  ["a relative link to a parent works unchanged", "../up", "../up"],
  ["a link to the page itself works unchanged", "#top", "#top"],
  ["an empty link", "", ""],
  ["another server", "https://example.com/x", "https://example.com/x"],
  ["another server without a scheme", "//example.com/x", "//example.com/x"],
  ["the backend's own address, which clients cannot reach", "http://10.0.0.5:80/x", `${prefix}/x`],
  ["this server by its name", "https://api.test:6443/x", `https://api.test:6443${prefix}/x`],
  ["a link that already has the prefix", `${prefix}/x`, `${prefix}/x`],
  ["a script", "javascript:alert(1)", "javascript:alert(1)"],
  ["dots do not leave the backend", "/../../secrets", `${prefix}/secrets`],
];
for (const [why, url, expected] of cases) {
  test(`"${url}" becomes "${expected}": ${why}`, () => expect(rewriteUrl(url, context)).toBe(expected));
}

test("a prefix that a client chose cannot close the attribute that it is written into", () => {
  expect(rewriteUrl("/x", { ...context, prefix: `/a"><script>'` })).toBe("/a%22%3e%3cscript%3e%27/x");
});
