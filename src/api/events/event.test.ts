import { describe, expect, test } from "vitest";
import type { Level } from "../../machinery/schema/levels.ts";
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

describe("an Event of the events group", () => {
  const cases = [
    { why: "must have an eventTime", change: { eventTime: null }, problems: ["Required eventTime"] },
    { why: "must have the type Normal or Warning", change: { type: "Fatal" }, problems: ["Invalid type"] },
    {
      why: "must have a reporting controller",
      change: { reportingController: "" },
      problems: ["Invalid reportingController", "Required reportingController"],
    },
    {
      why: "must have an action and a reason of at most 128 characters",
      change: { action: "a".repeat(129), reason: "" },
      problems: ["Invalid action", "Required reason"],
    },
    {
      why: "must have a note of at most 1024 characters",
      change: { note: "n".repeat(1025) },
      problems: ["Invalid message"],
    },
    {
      why: "must not set deprecated fields",
      change: { deprecatedCount: 1, deprecatedSource: { host: "h" }, deprecatedFirstTimestamp: "2021-05-01T10:00:00Z" },
      problems: ["Invalid count", "Invalid firstTimestamp", "Invalid source"],
    },
    {
      why: "must have a series of at least two with a time",
      change: { series: { count: 1 } },
      problems: ["Invalid series.count", "Required series.lastObservedTime"],
    },
    {
      why: "about a cluster-scoped object must be in the default namespace",
      change: { regarding: {} },
      problems: ["Invalid involvedObject.namespace"],
    },
    {
      why: "may be in another namespace than the object that it is about",
      change: { regarding: { namespace: "other" } },
      problems: [],
    },
  ];
  for (const { why, change, problems } of cases) {
    test(why, () => expect(create(v1, { ...fresh, ...change }).problems).toEqual(problems));
  }

  test("follows the rules of core Events on update", () => {
    const before = create(v1, fresh);
    expect(update(v1, { ...fresh, reason: "Other", type: "Odd" }, before).problems).toEqual([]);
  });

  test("through v1 must have a DNS subdomain as its name", () => {
    expect([v1.strategy.name, beta.strategy.name, core.strategy.name]).toEqual([
      "subdomain",
      "pathSegment",
      "pathSegment",
    ]);
  });
});

describe("a core Event", () => {
  const involvedObject = { namespace: "ns", name: "p" };

  test("without an eventTime is barely validated, also through v1beta1", () => {
    expect(create(core, { metadata, involvedObject, type: "Odd" }).problems).toEqual([]);
    expect(create(beta, { metadata, regarding: involvedObject, deprecatedCount: 1 }).problems).toEqual([]);
  });

  test("must be in the namespace of its object, or in the default one", () => {
    expect(create(core, { metadata, involvedObject: {} }).problems).toEqual(["Invalid involvedObject.namespace"]);
    expect(create(core, { metadata: { name: "x", namespace: "default" }, involvedObject: {} }).problems).toEqual([]);
  });

  test("shows the known parts of its object and its source in the row", () => {
    const shown = (parts: object) => {
      const { hub } = create(core, { metadata, involvedObject, ...parts });
      const cells = (core.declaration.columns ?? []).map((column) => column.cell(hub, core.family.environment));
      return [cells[3], cells[5]];
    };
    expect(shown({ source: { host: "h" } })).toEqual(["/p", ", h"]);
    expect(shown({ involvedObject: { namespace: "ns", kind: "Pod" }, reportingComponent: "c" })).toEqual(["pod", "c"]);
  });

  test("with an eventTime must have a controller, an action and a reason", () => {
    expect(create(core, { metadata, involvedObject, eventTime: fresh.eventTime }).problems).toEqual([
      "Invalid reportingController",
      "Required action",
      "Required reason",
      "Required reportingController",
      "Required reportingInstance",
    ]);
  });
});

test("a core Event is told of its component under its own name since 1.26", () => {
  const { reportingController, regarding, ...rest } = fresh;
  const given = { ...rest, reportingComponent: "", involvedObject: regarding };
  const problemsAt = (level: Level) => create(bindVersions([Core], {}, level).version("v1"), given).problems;
  expect(problemsAt("1.25")).toEqual(["Invalid reportingController", "Required reportingController"]);
  expect(problemsAt("1.26")).toEqual(["Invalid reportingComponent", "Required reportingComponent"]);
});
