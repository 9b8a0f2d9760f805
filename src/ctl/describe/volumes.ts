/** Volumes in a description. */

import { isJson, type Json, object, text } from "../json.ts";
import { type ContainerPlace, stepOf } from "./containers.ts";
import { capitalized, flag, or, phrase } from "./readers.ts";
import { each, field, group, ifThere, indented, line, type Row, type Rows } from "./row.ts";

export function volumes(place: ContainerPlace): Row {
  const rows = [line(phrase`${"name"}:`), indented(volumeSource, stepOf(place))];
  return group("Volumes", "spec.volumes", rows, { none: "\t<none>", indent: stepOf(place) });
}

const optional = field("Optional", flag("optional"));
const readOnly = field("ReadOnly", flag("readOnly"));

/** By the member of a volume that holds its source. */
const sources: Readonly<Record<string, readonly [type: string, rows: Rows]>> = {
  hostPath: ["HostPath (bare host directory volume)", [field("Path", "path"), field("HostPathType", "type")]],
  emptyDir: [
    "EmptyDir (a temporary directory that shares a pod's lifetime)",
    [field("Medium", "medium"), field("SizeLimit", or("sizeLimit", "<unset>"))],
  ],
  secret: ["Secret (a volume populated by a Secret)", [field("SecretName", "secretName"), optional]],
  configMap: ["ConfigMap (a volume populated by a ConfigMap)", [field("Name", "name"), optional]],
  persistentVolumeClaim: [
    "PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)",
    [field("ClaimName", "claimName"), readOnly],
  ],
  nfs: [
    "NFS (an NFS mount that lasts the lifetime of a pod)",
    [field("Server", "server"), field("Path", "path"), readOnly],
  ],
  csi: [
    "CSI (a Container Storage Interface (CSI) volume source)",
    [field("Driver", "driver"), field("FSType", "fsType"), readOnly],
  ],
  downwardAPI: [
    "DownwardAPI (a volume populated by information about the pod)",
    [group("Items", "items", [line(phrase`${downwardField} -> ${"path"}`)], { none: "" })],
  ],
  projected: [
    "Projected (a volume that contains injected data from multiple sources)",
    [
      each("sources", [
        ifThere("secret", [field("SecretName", "name"), field("SecretOptionalName", or("optional", "<nil>"))]),
        ifThere("configMap", [field("ConfigMapName", "name"), field("ConfigMapOptional", or("optional", "<nil>"))]),
        ifThere("serviceAccountToken", [field("TokenExpirationSeconds", "expirationSeconds")]),
        ifThere("downwardAPI", ["DownwardAPI:\ttrue"]),
      ]),
    ],
  ],
};

/** The source of a volume; one that is not in the table is shown by its members. */
export const volumeSource: Rows = [
  ...Object.entries(sources).map(([name, [type, rows]]) =>
    each((volume) => (sourceName(volume) === name ? [object(volume, name)] : []), [field("Type", () => type), ...rows]),
  ),
  line((volume) => otherSource(volume, sourceName(volume))),
];

function sourceName(volume: Json): string | undefined {
  return Object.keys(volume).find((key) => key !== "name" && isJson(volume[key]));
}

function otherSource(volume: Json, name: string | undefined): string[] {
  if (name === undefined) return ["<unknown>"];
  if (Object.hasOwn(sources, name)) return [];
  const members = Object.entries(object(volume, name)).map(
    ([key, value]) => `${capitalized(key)}:\t${typeof value === "object" ? JSON.stringify(value) : String(value)}`,
  );
  return [`Type:\t${capitalized(name)}`, ...members];
}

function downwardField(item: Json): string {
  return text(item, "fieldRef", "fieldPath") || text(item, "resourceFieldRef", "resource");
}
