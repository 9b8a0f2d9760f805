/** The golden files: a full object of every kind, in every representation that clients can ask for. */

import { catalog } from "../api/catalog.ts";
import { Change } from "../api/history/v1alpha1/change.ts";
import { metricKinds } from "../api/metrics/metric-kinds.ts";
import { Workspace } from "../api/tenancy/v1alpha1/workspace.ts";
import { WorkspaceType } from "../api/tenancy/v1alpha1/workspace-type.ts";
import { encodeEnvelope } from "../machinery/codec/envelope.ts";
import { encodeProtobuf } from "../machinery/codec/protobuf.ts";
import { encodeYaml } from "../machinery/codec/yaml-print.ts";
import { encodeJson } from "../machinery/json/json.ts";
import { fullObject } from "../machinery/schema/arbitrary.suite.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import { decodeKind } from "../machinery/schema/decode-kind.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import { goldenFolderOf, levels } from "../machinery/schema/levels.ts";
import { rowConditions, tableColumns, tableRow } from "../machinery/table/table.ts";
import { allKinds, testEnvironment } from "./all-kinds.ts";

/** The object that the golden files of a kind show. */
export function goldenObject(kind: BoundKind): ApiObject {
  return decodeKind(kind, fullObject(kind.schema));
}

/** The kinds of every level, and those that only some servers have. */
export const goldenKinds = (): readonly BoundKind[] =>
  levels
    .filter((level) => goldenFolderOf(level) !== undefined)
    .flatMap((level) =>
      allKinds(testEnvironment({ level }), [...catalog, ...metricKinds, Change, Workspace, WorkspaceType]),
    );

/**
 * "storage/v1/csi-driver": where the declaration of the kind is in api/, and its golden files are. Those of a higher level are
 * below its name.
 */
export function goldenName({ declaration: { group, version, kind }, family }: BoundKind): string {
  const file = kind.replace(/([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])/g, "$1$3-$2$4").toLowerCase();
  return `${goldenFolderOf(family.environment.level) ?? ""}${group.split(".")[0] || "core"}/${version}/${file}`;
}

export interface GoldenForms {
  readonly json: string;
  readonly yaml: string;
  readonly "pb.hex": string;
  readonly "table.json": string;
}

export function goldenForms(kind: BoundKind): GoldenForms {
  const object = goldenObject(kind);
  return {
    json: `${pretty(object)}\n`,
    yaml: encodeYaml(object),
    "pb.hex": hexLines(encodeEnvelope(kind.apiVersion, kind.kind, encodeProtobuf(kind.schema, object))),
    "table.json": `${pretty(tableOf(kind, object))}\n`,
  };
}

/** Paths within test/golden/ and what is in each file. */
export function goldenFiles(): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const kind of goldenKinds()) {
    for (const [form, text] of Object.entries(goldenForms(kind))) files.set(`${goldenName(kind)}.${form}`, text);
  }
  return files;
}

export function bytesOfHex(text: string): Buffer {
  return Buffer.from(text.replaceAll("\n", ""), "hex");
}

function tableOf(kind: BoundKind, object: ApiObject): object {
  const { environment } = kind.family;
  const conditions = rowConditions(kind, object, environment);
  return {
    columnDefinitions: tableColumns(kind),
    cells: tableRow(kind, object, environment),
    ...(conditions.length > 0 ? { conditions } : {}),
  };
}

/** Exact for large integers too, which JSON.stringify is not. */
const pretty = (value: unknown): string => JSON.stringify(JSON.parse(encodeJson(value)), undefined, 2);

const hexCharsALine = 96;

function hexLines(bytes: Buffer): string {
  const hex = bytes.toString("hex");
  const lines: string[] = [];
  for (let at = 0; at < hex.length; at += hexCharsALine) lines.push(hex.slice(at, at + hexCharsALine));
  return `${lines.join("\n")}\n`;
}
