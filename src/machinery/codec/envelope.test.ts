import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bodyBytesMax } from "../json/json-gate.ts";
import type { StructSchema } from "../schema/schema.ts";
import { badRequest, StatusError } from "../status/status.ts";
import { decodeEnvelope, encodeEnvelope, encodeListEnvelope, encodeWatchFrame } from "./envelope.ts";
import { metaSchemas, PartialObjectMetadataStruct } from "./meta-types.ts";
import { decodeProtobuf, encodeProtobuf } from "./protobuf.ts";

const raw = Buffer.from("0a03616263", "hex");

describe("an envelope", () => {
  test("has the magic bytes, the kind, the message and two empty strings", () => {
    expect(encodeEnvelope("v1", "Pod", raw).toString("hex")).toBe(
      "6b3873000a090a0276311203506f6412050a036162631a002200",
    );
  });
  test("decodes to what was encoded", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.uint8Array({ maxLength: 300 }), (apiVersion, kind, bytes) => {
        const opened = decodeEnvelope(encodeEnvelope(apiVersion, kind, bytes));
        expect({ ...opened, raw: Buffer.from(opened.raw) }).toEqual({ apiVersion, kind, raw: Buffer.from(bytes) });
      }),
    );
  });
  test("may omit the kind, and may have unknown fields", () => {
    expect(decodeEnvelope(Buffer.from("6b387300" + "12021234" + "1a04677a6970", "hex"))).toEqual({
      apiVersion: "",
      kind: "",
      raw: Buffer.from("1234", "hex"),
    });
  });
  for (const text of ["", "6b38", "6b387300", "6b38740012021234", "0a03616263", "6b3873001205", "6b3873000801"]) {
    test(`${text || "nothing"} is refused`, () => {
      expect(() => decodeEnvelope(Buffer.from(text, "hex"))).toThrow(StatusError);
    });
  }
  test("has the size limit of any body", () => {
    expect(() => decodeEnvelope(Buffer.alloc(bodyBytesMax + 1))).toThrow(/limit is/);
  });
});

test("a list is its metadata and the messages of its items, in pieces", () => {
  const meta = { resourceVersion: "7", continue: "c", remainingItemCount: 300 };
  const pieces = encodeListEnvelope("v1", "PodList", meta, [raw, Buffer.alloc(0)]);
  const opened = decodeEnvelope(Buffer.concat(pieces));
  expect([opened.apiVersion, opened.kind]).toEqual(["v1", "PodList"]);
  expect(Buffer.from(opened.raw).toString("hex")).toBe("0a0b0a001201371a016320ac0212050a036162631200");
  expect(pieces).toContainEqual(raw);
});

test("a watch event is framed by its length", () => {
  const frame = encodeWatchFrame("ADDED", raw);
  expect(frame.readUInt32BE(0)).toBe(frame.length - 4);
  expect(frame.toString("hex", 4)).toBe("0a05414444454412070a050a03616263");
});

test("a refusal has a protobuf form", () => {
  const schema = metaSchemas.get("Status") as StructSchema; // one of the table
  const { kind: _kind, apiVersion: _apiVersion, ...status } = badRequest("no").toStatus();
  expect(encodeProtobuf(schema, status).toString("hex")).toBe(
    "0a060a0012001a00" + "12074661696c757265" + "1a026e6f" + "220a42616452657175657374" + "309003",
  );
  expect(decodeProtobuf(schema, encodeProtobuf(schema, status))).toMatchObject({ code: 400, reason: "BadRequest" });
});

test("the verbs of a resource are a separate message", () => {
  const schema = metaSchemas.get("APIResourceList") as StructSchema; // one of the table
  const resource = { name: "pods", singularName: "", namespaced: true, kind: "Pod", verbs: ["get", "list"] };
  const bytes = encodeProtobuf(schema, { groupVersion: "v1", resources: [resource] });
  expect(bytes.toString("hex")).toContain("220b" + "0a03676574" + "0a046c697374");
  expect(decodeProtobuf(schema, bytes)).toMatchObject({ groupVersion: "v1", resources: [resource] });
});

test("metadata alone can be sent", () => {
  const schema = PartialObjectMetadataStruct.schema as StructSchema; // made by struct()
  const object = {
    metadata: { name: "a", namespace: "b", creationTimestamp: "2021-01-01T00:00:00Z", labels: { k: "v" } },
  };
  expect(decodeProtobuf(schema, encodeProtobuf(schema, object))).toMatchObject(object);
});
