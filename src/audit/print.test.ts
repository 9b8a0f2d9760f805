import { describe, expect, test } from "vitest";
import { event, inText } from "./events.suite.ts";
import { printEvent, printLegacy } from "./print.ts";

describe("an event", () => {
  test("is one line of JSON that contains objects unchanged", () => {
    const text = printEvent(event("1", { requestObject: '{"a":1}', responseObject: '{"b":2}' }), "audit.orch.io", "v1");
    expect(text).not.toContain("\n");
    expect(JSON.parse(text)).toMatchObject({
      kind: "Event",
      apiVersion: "audit.orch.io/v1",
      auditID: "1",
      requestObject: { a: 1 },
      responseObject: { b: 2 },
    });
  });
  test("of an older version has the members of that version", () => {
    const time = "2021-06-01T12:00:00Z";
    const read = JSON.parse(printEvent(event("1"), "audit.orch.io", "v1beta1"));
    expect(read).toMatchObject({
      apiVersion: "audit.orch.io/v1beta1",
      metadata: { creationTimestamp: time },
      timestamp: time,
    });
  });
  test("of v1alpha1 joins group and version of its object", () => {
    const objectRef = { resource: "deployments", name: "web", apiGroup: "apps", apiVersion: "v1" };
    const text = inText({ auditID: "1", requestReceivedTimestamp: "2021-06-01T12:00:00.123000Z", objectRef });
    const refOf = (version: "v1beta1" | "v1alpha1") =>
      JSON.parse(printEvent(event("1", { text }), "audit.orch.io", version)).objectRef;
    expect(refOf("v1alpha1")).toEqual({ resource: "deployments", name: "web", apiVersion: "apps/v1" });
    expect(refOf("v1beta1")).toEqual(objectRef);
  });
  test("is a line of text in the legacy format, with quotes escaped", () => {
    expect(printLegacy(event("1"))).toBe(
      '2021-06-01T12:00:00.124000Z AUDIT: id="1" stage="ResponseComplete" ip="127.0.0.1" method="get" user="ann" ' +
        'groups="\\"dev\\"" as="<self>" asgroups="<lookup>" namespace="<none>" uri="/a\\"b" response="200"',
    );
  });
});
