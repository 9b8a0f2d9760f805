import fc from "fast-check";
import { expect, test } from "vitest";
import type { AuditedRequest } from "./contract.ts";
import { printClient, printTarget, quote, rememberedUrisMax } from "./members.ts";

const requestFor = (uri: string, name: string, more: Partial<AuditedRequest> = {}): AuditedRequest => ({
  auditId: "1",
  uri,
  target: {
    verb: "get",
    isResource: true,
    path: "/",
    group: "",
    version: "v1",
    resource: "pods",
    subresource: "",
    namespace: "",
    name,
  },
  user: undefined,
  sourceIps: [],
  userAgent: "",
  receivedMs: 0,
  ...more,
});

test("a text is quoted as JSON quotes it", () => {
  const unit = fc.oneof(fc.integer({ min: 0, max: 0x80 }), fc.integer({ min: 0, max: 0xffff }));
  fc.assert(
    fc.property(fc.array(unit), (units) => {
      const text = String.fromCharCode(...units);
      expect(quote(text)).toBe(JSON.stringify(text));
    }),
  );
});

test("what a URI with a query asks for is printed for each request, and a limited number of other URIs is remembered", () => {
  expect(printTarget(requestFor("/a?x", "one")).reference).toContain('"name":"one"');
  expect(printTarget(requestFor("/a?x", "two")).reference).toContain('"name":"two"');
  const remembered = printTarget(requestFor("/a", "one"));
  expect(printTarget(requestFor("/a", "one"))).toBe(remembered);
  for (let count = 0; count <= rememberedUrisMax; count++) printTarget(requestFor(`/b/${count}`, "one"));
  expect(printTarget(requestFor("/a", "one"))).not.toBe(remembered);
});

test("requests of alternating clients show their own client", () => {
  const clients = [
    { sourceIps: ["::1"], userAgent: "a" },
    { sourceIps: ["::1"], userAgent: "b" },
    { sourceIps: ["::2"], userAgent: "b" },
    { sourceIps: ["::1", "::2"], userAgent: "b" },
    { sourceIps: [], userAgent: "b" },
  ];
  const parsed = [...clients, ...clients].map((client) =>
    JSON.parse(`{"x":0${printClient(requestFor("/", "", client))}}`),
  );
  expect(parsed).toEqual(
    [...clients, ...clients].map(({ sourceIps, userAgent }) => ({
      x: 0,
      ...(sourceIps.length === 0 ? {} : { sourceIPs: sourceIps }),
      userAgent,
    })),
  );
});
