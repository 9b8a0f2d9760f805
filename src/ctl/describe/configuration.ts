/** Descriptions of secrets and config maps. */

import { entries, type Json, text } from "../json.ts";
import { heading } from "./metadata.ts";
import { align, field, line, type Rows, when } from "./row.ts";

export const secret: Rows = [
  ...heading,
  "",
  field("Type", "type"),
  "",
  "Data",
  "====",
  line((value) => entries(value, "data").map(([key, data]) => `${key}:\t${secretText(value, key, data)}`)),
];

export const configMap: Rows = [
  ...heading,
  align,
  "",
  "Data",
  "====",
  line(({ data }) => entries(data).flatMap(([key, value]) => [`${key}:`, "----", value])),
  when(
    ({ binaryData }) => entries(binaryData).length > 0,
    [
      "",
      "BinaryData",
      "====",
      line(({ binaryData }) => entries(binaryData).map(([key, value]) => `${key}: ${bytesOf(value).length} bytes`)),
    ],
  ),
];

/** The token of a service account, and the size of all other values. */
function secretText(secret: Json, key: string, data: string): string {
  const isToken = text(secret, "type").endsWith("service-account-token") && key === "token";
  return isToken ? bytesOf(data).toString("utf8") : `${bytesOf(data).length} bytes`;
}

function bytesOf(value: string): Buffer {
  return Buffer.from(value, "base64");
}
