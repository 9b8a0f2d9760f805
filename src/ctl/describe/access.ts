/** Descriptions of roles, bindings, accounts, certificates, secrets and config maps. */

import { entries, type Json, list, nameOf, object, text, texts } from "../json.ts";
import { csrSubject } from "./certificate.ts";
import { time } from "./pod-template.ts";
import { describeLabels, describeName } from "./workloads.ts";
import type { DescriptionWriter } from "./writer.ts";

export function describeSecret(w: DescriptionWriter, value: Json): void {
  describeName(w, value);
  describeLabels(w, value);
  w.line(0, "");
  w.field(0, "Type", text(value, "type"));
  w.line(0, "");
  w.line(0, "Data");
  w.line(0, "====");
  for (const [key, data] of entries(value, "data")) {
    const bytes = Buffer.from(data, "base64");
    const isToken = /service-account-token$/.test(text(value, "type")) && key === "token";
    w.line(0, isToken ? `${key}:\t${bytes.toString("utf8")}` : `${key}:\t${bytes.length} bytes`);
  }
}

export function describeConfigMap(w: DescriptionWriter, value: Json): void {
  describeName(w, value);
  describeLabels(w, value);
  w.flush();
  w.line(0, "");
  w.line(0, "Data");
  w.line(0, "====");
  for (const [key, data] of entries(value, "data")) {
    w.line(0, `${key}:`);
    w.line(0, "----");
    w.line(0, data);
  }
  const binary = entries(value, "binaryData");
  if (binary.length > 0) {
    w.line(0, "");
    w.line(0, "BinaryData");
    w.line(0, "====");
    for (const [key, data] of binary) w.line(0, `${key}: ${Buffer.from(data, "base64").length} bytes`);
  }
}

export function describeServiceAccount(w: DescriptionWriter, value: Json): void {
  describeName(w, value);
  describeLabels(w, value);
  const names = (title: string, all: readonly string[]) => {
    if (all.length === 0) return w.field(0, title, "<none>");
    all.forEach((name, at) => {
      w.text += `${at === 0 ? `${title}:` : ""}\t${name}\n`;
    });
  };
  names(
    "Image pull secrets",
    list(value, "imagePullSecrets").map((one) => text(one, "name")),
  );
  names(
    "Mountable secrets",
    list(value, "secrets").map((one) => text(one, "name")),
  );
  names(
    "Tokens",
    list(value, "secrets")
      .map((one) => text(one, "name"))
      .filter((name) => name.includes("-token-")),
  );
}

export function describeRole(w: DescriptionWriter, value: Json): void {
  w.field(0, "Name", nameOf(value));
  describeLabels(w, value);
  w.line(0, "PolicyRule:");
  w.line(1, "Resources\tNon-Resource URLs\tResource Names\tVerbs");
  w.line(1, "---------\t-----------------\t--------------\t-----");
  const rows = compacted(list(value, "rules").flatMap(brokenDown));
  for (const row of rows.sort((a, b) => (ruleKey(a) < ruleKey(b) ? -1 : 1)))
    w.line(1, `${withGroup(row)}\t[${row.url}]\t[${row.name}]\t[${row.verbs.join(" ")}]`);
}

/** One line of a role: a resource, possibly of one name, or a URL. Parts that do not apply are "". */
interface RuleRow {
  readonly group: string;
  readonly resource: string;
  readonly name: string;
  readonly url: string;
  readonly verbs: readonly string[];
}

/** One row for each resource, name and verb of a rule, and for each of its URLs. */
function brokenDown(rule: Json): RuleRow[] {
  const names = texts(rule, "resourceNames");
  const rows: RuleRow[] = [];
  for (const group of texts(rule, "apiGroups"))
    for (const resource of texts(rule, "resources"))
      for (const verb of texts(rule, "verbs"))
        for (const name of names.length === 0 ? [""] : names)
          rows.push({ group, resource, name, url: "", verbs: [verb] });
  for (const url of texts(rule, "nonResourceURLs"))
    for (const verb of texts(rule, "verbs")) rows.push({ group: "", resource: "", name: "", url, verbs: [verb] });
  return rows;
}

/** Merges rows of the same resource and name. */
function compacted(rows: readonly RuleRow[]): RuleRow[] {
  const ofResources = new Map<string, RuleRow>();
  for (const row of rows.filter(({ url }) => url === "")) {
    const key = JSON.stringify([row.group, row.resource, row.name]);
    ofResources.set(key, { ...row, verbs: [...new Set([...(ofResources.get(key)?.verbs ?? []), ...row.verbs])] });
  }
  return [...ofResources.values(), ...rows.filter(({ url }) => url !== "")];
}

/** By verbs, then by group and resource, as kubectl sorts rules. */
function ruleKey({ verbs, group, resource, name, url }: RuleRow): string {
  return `[${verbs.join(" ")}],[${group}],[${resource}],[${name}],[${url}]`;
}

function withGroup({ resource, group }: RuleRow): string {
  const at = resource.indexOf("/");
  if (group === "") return resource;
  return at < 0 ? `${resource}.${group}` : `${resource.slice(0, at)}.${group}${resource.slice(at)}`;
}

export function describeBinding(w: DescriptionWriter, value: Json): void {
  w.field(0, "Name", nameOf(value));
  describeLabels(w, value);
  w.line(0, "Role:");
  w.line(1, `Kind:\t${text(value, "roleRef", "kind")}`);
  w.line(1, `Name:\t${text(value, "roleRef", "name")}`);
  w.line(0, "Subjects:");
  w.line(1, "Kind\tName\tNamespace");
  w.line(1, "----\t----\t---------");
  for (const subject of list(value, "subjects"))
    w.line(1, `${text(subject, "kind")}\t${text(subject, "name")}\t${text(subject, "namespace")}`);
}

export function describeSigningRequest(w: DescriptionWriter, value: Json): void {
  const spec = object(value, "spec");
  w.field(0, "Name", nameOf(value));
  w.field(
    0,
    "Labels",
    entries(value, "metadata", "labels")
      .map(([key, label]) => `${key}=${label}`)
      .join(",") || "<none>",
  );
  w.field(
    0,
    "Annotations",
    entries(value, "metadata", "annotations")
      .map(([key, label]) => `${key}=${label}`)
      .join(",") || "<none>",
  );
  w.field(0, "CreationTimestamp", time(text(value, "metadata", "creationTimestamp")));
  w.field(0, "Requesting User", text(spec, "username"));
  if (text(spec, "signerName") !== "") w.field(0, "Signer", text(spec, "signerName"));
  const types = list(value, "status", "conditions").map((one) => text(one, "type"));
  w.field(
    0,
    "Status",
    [
      types.includes("Denied") ? "Denied" : types.includes("Approved") ? "Approved" : "Pending",
      ...(text(value, "status", "certificate") === "" ? [] : ["Issued"]),
    ].join(","),
  );
  w.line(0, "Subject:");
  for (const [title, part] of csrSubject(text(spec, "request"))) w.line(1, `${title}:\t${part}`);
}
