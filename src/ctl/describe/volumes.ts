/** Volumes in a description. */

import { isJson, type Json, list, object, text } from "../json.ts";
import type { DescriptionWriter } from "./writer.ts";

type Lines = (source: Json) => [string, string][];
const optional = (source: Json): [string, string] => ["Optional", String(source["optional"] === true)];

const kinds: Readonly<Record<string, { readonly type: string; readonly lines: Lines }>> = {
  hostPath: {
    type: "HostPath (bare host directory volume)",
    lines: (s) => [
      ["Path", text(s, "path")],
      ["HostPathType", text(s, "type")],
    ],
  },
  emptyDir: {
    type: "EmptyDir (a temporary directory that shares a pod's lifetime)",
    lines: (s) => [
      ["Medium", text(s, "medium")],
      ["SizeLimit", text(s, "sizeLimit") || "<unset>"],
    ],
  },
  secret: {
    type: "Secret (a volume populated by a Secret)",
    lines: (s) => [["SecretName", text(s, "secretName")], optional(s)],
  },
  configMap: {
    type: "ConfigMap (a volume populated by a ConfigMap)",
    lines: (s) => [["Name", text(s, "name")], optional(s)],
  },
  persistentVolumeClaim: {
    type: "PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)",
    lines: (s) => [
      ["ClaimName", text(s, "claimName")],
      ["ReadOnly", String(s["readOnly"] === true)],
    ],
  },
  nfs: {
    type: "NFS (an NFS mount that lasts the lifetime of a pod)",
    lines: (s) => [
      ["Server", text(s, "server")],
      ["Path", text(s, "path")],
      ["ReadOnly", String(s["readOnly"] === true)],
    ],
  },
  csi: {
    type: "CSI (a Container Storage Interface (CSI) volume source)",
    lines: (s) => [
      ["Driver", text(s, "driver")],
      ["FSType", text(s, "fsType")],
      ["ReadOnly", String(s["readOnly"] === true)],
    ],
  },
  downwardAPI: { type: "DownwardAPI (a volume populated by information about the pod)", lines: () => [] },
  projected: { type: "Projected (a volume that contains injected data from multiple sources)", lines: projected },
};

function projected(source: Json): [string, string][] {
  return list(source, "sources").flatMap((one): [string, string][] => {
    if (isJson(one["secret"]))
      return [
        ["SecretName", text(one, "secret", "name")],
        ["SecretOptionalName", text(one, "secret", "optional") || "<nil>"],
      ];
    if (isJson(one["configMap"]))
      return [
        ["ConfigMapName", text(one, "configMap", "name")],
        ["ConfigMapOptional", text(one, "configMap", "optional") || "<nil>"],
      ];
    if (isJson(one["serviceAccountToken"]))
      return [["TokenExpirationSeconds", text(one, "serviceAccountToken", "expirationSeconds")]];
    return [["DownwardAPI", "true"]];
  });
}

export function describeVolumes(w: DescriptionWriter, volumes: readonly Json[], space: string): void {
  if (volumes.length === 0) {
    w.line(0, `${space}Volumes:\t<none>`);
    return;
  }
  w.line(0, `${space}Volumes:`);
  for (const volume of volumes) {
    w.line(1, `${space === "" ? "" : " "}${text(volume, "name")}:`);
    describeSource(w, volume);
  }
}

/** The member of a volume that holds its source. */
export function describeSource(w: DescriptionWriter, volume: Json): void {
  const name = Object.keys(volume).find((key) => key !== "name" && isJson(volume[key]));
  if (name === undefined) {
    w.line(2, "<unknown>");
    return;
  }
  const source = object(volume, name);
  const known = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
  w.line(2, `Type:\t${known?.type ?? name[0]?.toUpperCase() + name.slice(1)}`);
  const lines =
    known === undefined
      ? Object.entries(source).map(([key, value]): [string, string] => [
          key[0]?.toUpperCase() + key.slice(1),
          typeof value === "object" ? JSON.stringify(value) : String(value),
        ])
      : known.lines(source);
  for (const [title, value] of lines) w.line(2, `${title}:\t${value}`);
  if (name === "downwardAPI") {
    w.line(2, "Items:");
    for (const item of list(source, "items"))
      w.line(
        3,
        `${text(item, "fieldRef", "fieldPath") || text(item, "resourceFieldRef", "resource")} -> ${text(item, "path")}`,
      );
  }
}
