import { expect, test } from "vitest";
import { measureWork } from "./processor-time.suite.ts";
import { parseUrlParts } from "./url-parts.ts";

const none = { scheme: "", host: "", hasUser: false, path: "", query: "", fragment: "" };
const cases: { why: string; text: string; parts: object | undefined }[] = [
  {
    why: "a complete URL",
    text: "HTTPS://h.example:443/p?q=1#f",
    parts: { scheme: "https", host: "h.example:443", path: "/p", query: "q=1", fragment: "f" },
  },
  { why: "an empty text is a path", text: "", parts: {} },
  { why: "a host without a scheme is a path", text: "hook.example.com", parts: { path: "hook.example.com" } },
  { why: "spaces in a path are allowed", text: "not a url", parts: { path: "not a url" } },
  { why: "no host", text: "https:///path", parts: { scheme: "https", path: "/path" } },
  { why: "one slash begins a path", text: "https:/host", parts: { scheme: "https", path: "/host" } },
  { why: "what follows a scheme without a slash is opaque", text: "https:host", parts: { scheme: "https" } },
  { why: "two slashes without a scheme", text: "//host/x", parts: { host: "host", path: "/x" } },
  { why: "three slashes without a scheme", text: "///host", parts: { path: "///host" } },
  { why: "a user", text: "https://u:p@host", parts: { scheme: "https", host: "host", hasUser: true } },
  { why: "an IPv6 address", text: "https://[::1]:8443/", parts: { scheme: "https", host: "[::1]:8443", path: "/" } },
  { why: "an empty port", text: "https://host:/", parts: { scheme: "https", host: "host:", path: "/" } },
  { why: "letters beyond ASCII", text: "https://hôst/", parts: { scheme: "https", host: "hôst", path: "/" } },
  { why: "no scheme before the colon", text: "://host", parts: undefined },
  { why: "a colon in the first path segment", text: "1host:80/x", parts: undefined },
  { why: "an incomplete escape", text: "%%", parts: undefined },
  { why: "an incomplete escape in a path", text: "https://h/%zz", parts: undefined },
  { why: "an incomplete escape in a fragment", text: "https://h/#%", parts: undefined },
  { why: "an open bracket", text: "https://[::1/", parts: undefined },
  { why: "a space in a host", text: "https://exa mple.com/", parts: undefined },
  { why: "an escaped space in a host", text: "https://exa%20mple.com/", parts: undefined },
  { why: "a port of letters", text: "https://host:http/", parts: undefined },
  { why: "a port behind a bracket", text: "https://[::1]x/", parts: undefined },
  { why: "a line break", text: "https://h/\n", parts: undefined },
  { why: "a user with a caret", text: "https://u^@host", parts: undefined },
];
for (const { why, text, parts } of cases) {
  test(`${JSON.stringify(text)}: ${why}`, () => {
    expect(parseUrlParts(text)).toEqual(parts === undefined ? undefined : { ...none, ...parts });
  });
}

test("parsing a long text takes linear time", () => {
  const spentMs = measureWork();
  for (const piece of ["%25", "@", ":", "[", "a."]) parseUrlParts(`https://${piece.repeat(100_000)}`);
  expect(spentMs()).toBeLessThan(2_000);
});
