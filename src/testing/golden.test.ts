import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { decodeEnvelope, encodeEnvelope } from "../machinery/codec/envelope.ts";
import { decodeProtobuf, encodeProtobuf } from "../machinery/codec/protobuf.ts";
import { decodeYaml } from "../machinery/codec/yaml.ts";
import { encodeYaml } from "../machinery/codec/yaml-print.ts";
import { decodeJson, encodeJson } from "../machinery/json/json.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import { decodeKind } from "../machinery/schema/decode-kind.ts";
import { bytesOfHex, goldenForms, goldenKinds, goldenName, goldenObject } from "./golden.ts";

const folder = fileURLToPath(new URL("../../test/golden/", import.meta.url));
const read = (kind: BoundKind, form: string) => readFileSync(`${folder}${goldenName(kind)}.${form}`, "utf8");

describe("golden files", () => {
  for (const kind of goldenKinds()) {
    const { level } = kind.family.environment;
    test(`${kind.apiVersion} ${kind.kind} of ${level} matches its golden files`, () => {
      const forms = goldenForms(kind);
      for (const [form, text] of Object.entries(forms)) {
        const hint = "npm run golden writes them again; clients will notice every difference";
        expect(text, `${form} changed: ${hint}`).toBe(read(kind, form));
      }
    });

    test(`all forms of ${kind.apiVersion} ${kind.kind} of ${level} are one object, and encode to the same bytes`, () => {
      const object = goldenObject(kind);
      const json = decodeKind(kind, decodeJson(Buffer.from(read(kind, "json"))));
      const yaml = decodeKind(kind, decodeYaml(Buffer.from(read(kind, "yaml"))));
      const bytes = bytesOfHex(read(kind, "pb.hex"));
      const envelope = decodeEnvelope(bytes);
      const protobuf = decodeKind(kind, decodeProtobuf(kind.schema, envelope.raw));
      expect({ apiVersion: envelope.apiVersion, kind: envelope.kind }).toEqual({
        apiVersion: kind.apiVersion,
        kind: kind.kind,
      });
      for (const decoded of [json, yaml, protobuf]) {
        expect(decoded).toEqual(object);
        expect(encodeJson(decoded)).toBe(encodeJson(object));
        expect(encodeYaml(decoded)).toBe(read(kind, "yaml"));
        const again = encodeEnvelope(kind.apiVersion, kind.kind, encodeProtobuf(kind.schema, decoded));
        expect(again.equals(bytes)).toBe(true);
      }
    });
  }
});
