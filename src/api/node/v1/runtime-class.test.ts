import { describe, expect, test } from "vitest";
import { bindVersions, create, update } from "../../life.suite.ts";
import { RuntimeClass } from "./runtime-class.ts";

const kind = bindVersions([RuntimeClass]).version("v1");
const metadata = { name: "x" };

describe("a runtime class", () => {
  const cases = [
    { why: "must have a handler", given: {}, problems: ["Invalid handler"] },
    { why: "must have a DNS label as its handler", given: { handler: "Run.C" }, problems: ["Invalid handler"] },
    {
      why: "must have resources of containers in its overhead, none of them negative",
      given: { handler: "h", overhead: { podFixed: { cpu: "-1", pods: "1", "example.com/gpu": "500m" } } },
      problems: [
        "Invalid overhead.limits[cpu]",
        "Invalid overhead.limits[example.com/gpu]",
        "Invalid overhead.limits[pods]",
      ],
    },
    {
      why: "must not have an overhead of huge pages alone",
      given: { handler: "h", overhead: { podFixed: { "hugepages-2Mi": "2Mi" } } },
      problems: ["Forbidden overhead"],
    },
    {
      why: "must have valid labels in its node selector",
      given: { handler: "h", scheduling: { nodeSelector: { "a b": "c" } } },
      problems: ["Invalid scheduling.nodeSelector"],
    },
    {
      why: "must not repeat a toleration",
      given: {
        handler: "h",
        scheduling: {
          tolerations: [
            { key: "a", operator: "Exists" },
            { key: "a", operator: "Exists" },
            { key: "a", operator: "Never" },
            { key: "b", operator: "Exists", effect: "NoExecute", tolerationSeconds: 1 },
            { key: "b", operator: "Exists", effect: "NoExecute", tolerationSeconds: 2 },
          ],
        },
      },
      problems: [
        "Duplicate scheduling.tolerations[1]",
        "Duplicate scheduling.tolerations[4]",
        "NotSupported scheduling.tolerations.tolerations[2].operator",
      ],
    },
  ];
  for (const { why, given, problems } of cases)
    test(why, () => expect(create(kind, { metadata, ...given }).problems).toEqual(problems));

  test("must not change its handler", () => {
    const old = create(kind, { metadata, handler: "h" });
    const next = { metadata, handler: "h", overhead: { podFixed: { cpu: "1" } } };
    expect(update(kind, next, old).problems).toEqual([]);
    expect(update(kind, { ...next, handler: "other" }, old).problems).toEqual(["Invalid handler"]);
    expect(update(kind, { ...next, overhead: { podFixed: { cpu: "-1" } } }, old).problems).toEqual([
      "Invalid overhead.limits[cpu]",
    ]);
  });

  test("has no overhead if the feature is off, unless the object had one before", () => {
    const given = { metadata, handler: "h", overhead: { podFixed: { cpu: "1" } } };
    const former = bindVersions([RuntimeClass], { PodOverhead: false }).version("v1");
    const old = create(former, given);
    expect([old.object["overhead"], update(former, given, old).object["overhead"]]).toEqual([undefined, undefined]);
    expect(update(former, given, create(kind, given)).object["overhead"]).toEqual(given.overhead);
  });
});
