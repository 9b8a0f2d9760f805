import { describe, expect, test } from "vitest";
import { Event as Core } from "../core/v1/event.ts";
import { bindVersions, create, update } from "../life.suite.ts";
import { Event as V1 } from "./v1/event.ts";
import { Event as V1beta1 } from "./v1beta1/event.ts";

const { version } = bindVersions([Core, V1, V1beta1]);
const core = version("v1", "");
const v1 = version("v1", "events.orch.io");
const beta = version("v1beta1");

const metadata = { name: "x", namespace: "ns" };
const fresh = {
  metadata,
  eventTime: "2021-05-01T10:00:00.123456Z",
  reportingController: "c.example.com/a",
  reportingInstance: "a-0",
  action: "Binding",
  reason: "Because",
  type: "Normal",
  regarding: { kind: "Pod", namespace: "ns", name: "p" },
};

describe("an event of the events group", () => {
  const cases = [
    { why: "its time", change: { eventTime: null }, problems: ["Required eventTime"] },
    { why: "a type of two", change: { type: "Fatal" }, problems: ["Invalid type"] },
    {
      why: "a controller",
      change: { reportingController: "" },
      problems: ["Invalid reportingController", "Required reportingController"],
    },
    {
      why: "short words",
      change: { action: "a".repeat(129), reason: "" },
      problems: ["Invalid action", "Required reason"],
    },
    { why: "a short note", change: { note: "n".repeat(1025) }, problems: ["Invalid message"] },
    {
      why: "no old style",
      change: { deprecatedCount: 1, deprecatedSource: { host: "h" }, deprecatedFirstTimestamp: "2021-05-01T10:00:00Z" },
      problems: ["Invalid count", "Invalid firstTimestamp", "Invalid source"],
    },
    {
      why: "a series of some",
      change: { series: { count: 1 } },
      problems: ["Invalid series.count", "Required series.lastObservedTime"],
    },
    {
      why: "a namespace, unless it is about the cluster",
      change: { regarding: {} },
      problems: ["Invalid involvedObject.namespace"],
    },
    { why: "not the namespace of what it is about", change: { regarding: { namespace: "other" } }, problems: [] },
  ];
  for (const { why, change, problems } of cases) {
    test(`has ${why}`, () => expect(create(v1, { ...fresh, ...change }).problems).toEqual(problems));
  }

  test("may be changed as a core event may", () => {
    const before = create(v1, fresh);
    expect(update(v1, { ...fresh, reason: "Other", type: "Odd" }, before).problems).toEqual([]);
  });

  test("is stricter about names than the others", () => {
    expect([v1.life.name, beta.life.name, core.life.name]).toEqual(["subdomain", "pathSegment", "pathSegment"]);
  });
});

describe("a core event", () => {
  const involvedObject = { namespace: "ns", name: "p" };

  test("without a time needs little, through the old beta as well", () => {
    expect(create(core, { metadata, involvedObject, type: "Odd" }).problems).toEqual([]);
    expect(create(beta, { metadata, regarding: involvedObject, deprecatedCount: 1 }).problems).toEqual([]);
  });

  test("is where its object is, and in the default namespace for others", () => {
    expect(create(core, { metadata, involvedObject: {} }).problems).toEqual(["Invalid involvedObject.namespace"]);
    expect(create(core, { metadata: { name: "x", namespace: "default" }, involvedObject: {} }).problems).toEqual([]);
  });

  test("shows its object and its source as far as they are known", () => {
    const shown = (parts: object) => {
      const { hub } = create(core, { metadata, involvedObject, ...parts });
      const cells = (core.declaration.columns ?? []).map((column) => column.cell(hub, core.family.environment));
      return [cells[3], cells[5]];
    };
    expect(shown({ source: { host: "h" } })).toEqual(["/p", ", h"]);
    expect(shown({ involvedObject: { namespace: "ns", kind: "Pod" }, reportingComponent: "c" })).toEqual(["pod", "c"]);
  });

  test("with a time says who saw what", () => {
    expect(create(core, { metadata, involvedObject, eventTime: fresh.eventTime }).problems).toEqual([
      "Invalid reportingController",
      "Required action",
      "Required reason",
      "Required reportingController",
      "Required reportingInstance",
    ]);
  });
});
