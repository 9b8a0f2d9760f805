import { describe, expect, test } from "vitest";
import { StatusError } from "../../machinery/status/status.ts";
import { createNegotiator } from "./choose.ts";
import { offerAll } from "./media.ts";

const protobuf = "application/vnd.orch.protobuf";
const negotiator = createNegotiator(offerAll(protobuf), {
  group: "meta.orch.io",
  allows: (view, encoding) =>
    view === "" || (view === "Table" ? encoding !== "protobuf" : view.startsWith("PartialObjectMetadata")),
});

const choose = (accept: string | undefined): string => {
  try {
    const { representation, type } = negotiator.choose(accept);
    return `${type} ${representation.view}${representation.viewVersion}`.trim();
  } catch (error) {
    return error instanceof StatusError ? `${error.code}${error.details === undefined ? "" : " {}"}` : "bug";
  }
};

describe("the Accept header of a client", () => {
  const table = "application/json;as=Table;g=meta.orch.io;v=v1";
  const cases: [accept: string | undefined, chosen: string][] = [
    [undefined, "application/json"],
    ["", "application/json"],
    ["*/*", "application/json"],
    ["application/json", "application/json"],
    ["application/yaml", "application/yaml"],
    [protobuf, protobuf],
    [`${protobuf}, application/json`, protobuf],
    [`application/json, ${protobuf}`, "application/json"],
    [`application/json;q=0.5, ${protobuf}`, protobuf],
    ["text/html, application/xml;q=0.9, application/json;q=0.1", "application/json"],
    ["text/html, */*;q=0.1", "application/json"],
    ["*/*, application/yaml", "application/yaml"],
    ["application/json;stream=watch", "application/json"],
    ["application/json;stream=other", "406"],
    ["application/json;stream=", "application/json"],
    ["application/yaml;stream=watch", "406"],
    ["application/json;sv=v1", "application/json"],
    ["application/json;sv=v2", "406"],
    ["application/*", "406 {}"],
    ["application/*, application/yaml;q=0.5", "application/yaml"],
    ["application/yaml;q=0.5, application/*", "application/json"],
    ["*/*, application/yaml;q=0.1", "application/yaml"],
    ["application/yaml;q=0.1, */*;q=0.2", "application/json"],
    ["application/json;q=0", "application/json"],
    ["application/json;q=high, application/yaml;q=0.1", "application/yaml"],
    ["application/json, application/yaml;q=2", "application/yaml"],
    ["APPLICATION/JSON", "406 {}"],
    ["application/json;as=", "406"],
    ["application/json;v=", "406"],
    ["application/json;as", "application/json"],
    ["text/html", "406 {}"],
    ["garbage", "406 {}"],
    [table, "application/json Tablev1"],
    [`${table},application/json`, "application/json Tablev1"],
    [`application/json,${table}`, "application/json"],
    ["application/json;as=Table;g=meta.orch.io;v=v2", "406"],
    ["application/json;as=Table;g=meta.orch.io;v=v2,application/json", "application/json"],
    ["application/json;as=Table;g=other.example.com;v=v1", "406"],
    ["application/json;as=Table", "406"],
    ["application/json;as=Chart;g=meta.orch.io;v=v1", "406"],
    ["application/json;as=__proto__;g=meta.orch.io;v=v1", "406"],
    [`${protobuf};as=Table;g=meta.orch.io;v=v1`, "406"],
    [`${protobuf};as=PartialObjectMetadata;g=meta.orch.io;v=v1beta1`, `${protobuf} PartialObjectMetadatav1beta1`],
  ];
  for (const [accept, chosen] of cases) test(`${accept}`, () => expect(choose(accept)).toBe(chosen));
});

test("a header with many alternatives is not read to its end", () => {
  expect(choose(`${"a/b,".repeat(10_000)}application/json`)).toBe("406 {}");
});
