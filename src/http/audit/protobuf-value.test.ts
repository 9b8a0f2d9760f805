import { expect, test } from "vitest";
import { createCatalog } from "../../machinery/catalog/bind.ts";
import { encodeEnvelope, encodeListEnvelope } from "../../machinery/codec/envelope.ts";
import { int64, list, string } from "../../machinery/schema/build.ts";
import { plainEnvironment } from "../../machinery/schema/environment.suite.ts";
import { kind } from "../../machinery/schema/kind.ts";
import { encodeValue } from "../negotiation/encode-value.ts";
import { valueOfProtobuf } from "./protobuf-value.ts";

const Robot = kind({
  group: "toys.orch.io",
  version: "v1",
  kind: "Robot",
  resource: "robots",
  scope: "Namespaced",
  doc: "",
  fields: { tools: list(string()).at(2), size: int64().at(3) },
});
const catalog = createCatalog([Robot], plainEnvironment());
const { codec, apiVersion } = catalog.of(Robot);
const robot = { kind: "Robot", apiVersion, metadata: { name: "r" }, tools: ["saw"], size: 5 };
const message = () => codec.protobuf!.encode(codec.decode(robot));

test("an object has the form that its JSON has", () => {
  const value = valueOfProtobuf(catalog, encodeEnvelope(apiVersion, "Robot", message()));
  expect(value).toEqual(codec.decode(robot));
});

test("a list has its metadata and its items, which have no type", () => {
  const { kind: _kind, apiVersion: _apiVersion, ...item } = codec.decode(robot);
  const pieces = encodeListEnvelope(apiVersion, "RobotList", { resourceVersion: "7" }, [message(), message()]);
  expect(valueOfProtobuf(catalog, Buffer.concat(pieces))).toEqual({
    kind: "RobotList",
    apiVersion,
    metadata: { resourceVersion: "7" },
    items: [item, item],
  });
});

test("a refusal is a Status", () => {
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", reason: "NotFound", code: 404 };
  const bytes = encodeValue({ encoding: "protobuf", pretty: false }, status);
  expect(valueOfProtobuf(catalog, Buffer.from(bytes))).toEqual(status);
});

test("a type that this server does not have has no value", () => {
  expect(valueOfProtobuf(catalog, encodeEnvelope("other.io/v1", "Thing", Buffer.alloc(0)))).toBeUndefined();
});
