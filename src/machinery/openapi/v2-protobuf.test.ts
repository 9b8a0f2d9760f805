import protobufjs from "protobufjs";
import { expect, test } from "vitest";
import { finish } from "../../base/time-slice.ts";
import type { OpenApiV2 } from "./document.ts";
import { document, info } from "./openapi.suite.ts";
import { encodeOpenApiV2Protobuf } from "./v2-protobuf.ts";

test("the protobuf form has the same contents", () => {
  const { root } = protobufjs.parse(`syntax = "proto3";
    message Any { string yaml = 2; }
    message NamedAny { string name = 1; Any value = 2; }
    message TypeItem { repeated string value = 1; }
    message ItemsItem { repeated Schema schema = 1; }
    message NamedSchema { string name = 1; Schema value = 2; }
    message Schemas { repeated NamedSchema additional_properties = 1; }
    message AdditionalPropertiesItem { oneof oneof { Schema schema = 1; bool boolean = 2; } }
    message Schema {
      string _ref = 1; string format = 2; string description = 4; Any default = 5; double maximum = 7; double minimum = 9;
      repeated string required = 19; repeated Any enum = 20; AdditionalPropertiesItem additional_properties = 21;
      TypeItem type = 22; ItemsItem items = 23; Schemas properties = 25; repeated NamedAny vendor_extension = 31;
    }
    message Query { string in = 2; string name = 4; string type = 6; }
    message NonBody { oneof oneof { Query query_parameter_sub_schema = 3; } }
    message Body { string name = 2; bool required = 4; Schema schema = 5; }
    message Parameter { oneof oneof { Body body_parameter = 1; NonBody non_body_parameter = 2; } }
    message ParametersItem { oneof oneof { Parameter parameter = 1; } }
    message Operation { string operation_id = 5; repeated ParametersItem parameters = 8; repeated NamedAny vendor_extension = 13; }
    message PathItem { Operation get = 2; Operation patch = 8; }
    message NamedPathItem { string name = 1; PathItem value = 2; }
    message Paths { repeated NamedPathItem path = 2; }
    message Info { string title = 1; string version = 2; }
    message Document { string swagger = 1; Info info = 2; Paths paths = 8; Schemas definitions = 9; }`);
  const Message = root.lookupType("Document");
  // Read back from JSON, as it comes from a cache.
  const bytes = finish(encodeOpenApiV2Protobuf(JSON.parse(JSON.stringify(document)) as OpenApiV2));
  const decoded = Message.toObject(Message.decode(bytes));
  expect(decoded).toMatchObject({ swagger: "2.0", info });
  const named = (entries: { name: string; value: unknown }[], name: string) =>
    entries.find((entry) => entry.name === name)?.value;
  expect(decoded["definitions"].additionalProperties).toHaveLength(Object.keys(document.definitions).length);
  const part = named(decoded["definitions"].additionalProperties, "io.orch.api.core.v1.Part") as Record<string, never>;
  expect(part).toMatchObject({ type: { value: ["object"] }, required: ["name"] });
  expect(named(part["properties"]?.["additionalProperties"] ?? [], "parts")).toEqual({
    type: { value: ["array"] },
    items: { schema: [{ _ref: "#/definitions/io.orch.api.core.v1.Part" }] },
    vendorExtension: [
      { name: "x-orch-list-type", value: { yaml: '"map"' } },
      { name: "x-orch-list-map-keys", value: { yaml: '["name"]' } },
      { name: "x-orch-patch-strategy", value: { yaml: '"merge"' } },
      { name: "x-orch-patch-merge-key", value: { yaml: '"name"' } },
    ],
  });
  const item = named(decoded["paths"].path, "/apis/tools.orch.io/v1/namespaces/{namespace}/things/{name}");
  expect(item).toMatchObject({
    patch: {
      operationId: "patchToolsV1NamespacedThing",
      parameters: expect.arrayContaining([
        {
          parameter: { nonBodyParameter: { queryParameterSubSchema: { in: "query", name: "dryRun", type: "string" } } },
        },
      ]),
      vendorExtension: expect.arrayContaining([{ name: "x-orch-action", value: { yaml: '"patch"' } }]),
    },
  });
});
