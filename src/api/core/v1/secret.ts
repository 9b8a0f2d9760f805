/** A Secret holds a small amount of confidential data. */

import { bool, bytes, elided, map, optional, type Static, string } from "../../../machinery/schema/build.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import {
  type FieldError,
  invalid,
  problemsFoundMax,
  required,
  tooLong,
} from "../../../machinery/status/field-error.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { has } from "../../features.ts";
import { base64Bytes, dataBytesMax, validateFrozenData, validateKey } from "./config-map.ts";
import { keyPairProblem } from "./key-pair-problem.ts";

export const Secret = kind({
  group: "",
  version: "v1",
  kind: "Secret",
  resource: "secrets",
  scope: "Namespaced",
  doc: "A Secret holds a small amount of confidential data.",
  fields: {
    data: elided(map(bytes())).at(2).doc("Secret bytes by key, base64 in JSON."),
    type: elided(string())
      .at(3)
      .immutable()
      .doc("Which tools understand the data; cannot be changed. Default: Opaque."),
    stringData: elided(map(string())).at(4).doc("Texts that are written into data and never shown."),
    immutable: optional(bool()).at(5).doc("Whether data is protected from changes; cannot be unset. Default: false."),
  },
  defaults(secret) {
    secret.type ??= "Opaque";
    for (const [key, text] of Object.entries(secret.stringData ?? {})) {
      secret.data ??= {};
      // A key may be called __proto__: define, never assign.
      const value = Buffer.from(text).toString("base64");
      Object.defineProperty(secret.data, key, { value, writable: true, enumerable: true, configurable: true });
    }
    delete secret.stringData;
  },
  validate: validateSecret,
  validateUpdate: (secret, old, environment) => [
    ...validateFrozenData(secret, old),
    ...validateSecret(secret, environment),
  ],
  warnings({ type, data }, _old, environment) {
    if (!has(environment, "keyPairWarnings") || type !== environment.vocabulary.word("orch.io/tls")) return [];
    const problem = keyPairProblem(data?.["tls.crt"] ?? "", data?.["tls.key"] ?? "");
    return problem === undefined ? [] : [problem];
  },
  confidential: ["data", "stringData"],
  selectableFields: { type: (secret) => secret.type ?? "" },
  columns: (column) => [
    nameColumn,
    column("Type", (secret) => secret.type ?? ""),
    column("Data", (secret) => Object.keys(secret.data ?? {}).length, { description: "How many keys there are." }),
    ageColumn,
  ],
});
export type Secret = Static<typeof Secret>;

type SecretValue = { metadata: { annotations?: Record<string, string> }; data?: Record<string, string>; type?: string };

function validateSecret(secret: SecretValue, environment: Environment): FieldError[] {
  const errors: FieldError[] = [];
  let total = 0;
  for (const [key, value] of Object.entries(secret.data ?? {})) {
    if (errors.length >= problemsFoundMax) return errors;
    errors.push(...validateKey(key, `data[${key}]`));
    total += base64Bytes(value);
  }
  if (total > dataBytesMax) errors.push(tooLong("data", "", dataBytesMax));
  return [...errors, ...validateByType(secret, environment)];
}

/** The data that known types require. Unknown types require nothing. */
function validateByType(secret: SecretValue, { vocabulary, since }: Environment): FieldError[] {
  const oddly = (field: string) => (since("1.22") ? field : field.replace("[", "[%s]["));
  const needs = (...keys: string[]) =>
    keys.filter((key) => !Object.hasOwn(secret.data ?? {}, key)).map((key) => required(`data[${key}]`));
  switch (secret.type) {
    case vocabulary.word("orch.io/service-account-token"): {
      const key = vocabulary.word("orch.io/service-account.name");
      return secret.metadata.annotations?.[key] ? [] : [required(`metadata.annotations[${key}]`)];
    }
    case vocabulary.word("orch.io/dockercfg"):
      return [...needs(".dockercfg"), ...validateJson(secret, ".dockercfg")];
    case vocabulary.word("orch.io/dockerconfigjson"):
      return [...needs(".dockerconfigjson"), ...validateJson(secret, ".dockerconfigjson")];
    case vocabulary.word("orch.io/basic-auth"): {
      // Clients of v1.21 know the field by this unusual spelling.
      const missing = needs("username", "password").map((error) => ({ ...error, field: oddly(error.field) }));
      return missing.length === 2 ? missing : [];
    }
    case vocabulary.word("orch.io/ssh-auth"):
      return Buffer.from(secret.data?.["ssh-privatekey"] ?? "", "base64").length === 0
        ? [required(oddly("data[ssh-privatekey]"))]
        : [];
    case vocabulary.word("orch.io/tls"):
      return needs("tls.crt", "tls.key");
    default:
      return [];
  }
}

function validateJson(secret: SecretValue, key: string): FieldError[] {
  if (!Object.hasOwn(secret.data ?? {}, key)) return [];
  try {
    const value: unknown = JSON.parse(Buffer.from(secret.data?.[key] ?? "", "base64").toString());
    if (typeof value === "object" && !Array.isArray(value)) return [];
  } catch {
    // The text may be secret, so the message does not repeat it.
  }
  return [invalid(`data[${key}]`, "<secret contents redacted>", "must be a JSON object")];
}
