/** Where a container's environment comes from. */

import { maskTrailingDash } from "../../../../machinery/meta/name-rule.ts";
import { isDns1123Subdomain } from "../../../../machinery/meta/names.ts";
import { bool, elided, optional, quantity, type Static, string, struct } from "../../../../machinery/schema/build.ts";

/** Names of variables since 1.32. */
const printableNameProblems = (name: string): readonly string[] =>
  /^[ -<>-~]+$/.test(name) ? [] : ["must consist of printable ASCII characters other than '='"];

/** v1.21 accepts the prefix of a name as well. */
const isNameOrPrefix = (name: string) => isDns1123Subdomain(maskTrailingDash(name));

const ConfigMapEnvSource = struct(
  "core.v1.ConfigMapEnvSource",
  {
    name: elided(string())
      .at(1, "localObjectReference")
      .required()
      .named(isNameOrPrefix)
      .doc("The name of the config map, in the namespace of the pod."),
    optional: optional(bool()).at(2).doc("Whether the config map may be missing. Default: false."),
  },
  { inline: { localObjectReference: 1 } },
);

const ConfigMapKeySelector = struct(
  "core.v1.ConfigMapKeySelector",
  {
    name: elided(string())
      .at(1, "localObjectReference")
      .named("subdomain")
      .evenEmpty()
      .doc("The name of the config map, in the namespace of the pod."),
    key: string().at(2).required().named("configKey").doc("The key whose value the variable gets. Required."),
    optional: optional(bool()).at(3).doc("Whether the config map or its key may be missing. Default: false."),
  },
  { inline: { localObjectReference: 1 }, from: { "1.22": { topology: "atomic" } } },
);

const SecretEnvSource = struct(
  "core.v1.SecretEnvSource",
  {
    name: elided(string())
      .at(1, "localObjectReference")
      .required()
      .named(isNameOrPrefix)
      .doc("The name of the secret, in the namespace of the pod."),
    optional: optional(bool()).at(2).doc("Whether the secret may be missing. Default: false."),
  },
  { inline: { localObjectReference: 1 } },
);

export const EnvFromSource = struct("core.v1.EnvFromSource", {
  prefix: elided(string())
    .at(1)
    .before("1.32", (prefix) => prefix.named("envName"))
    .from("1.32", (prefix) => prefix.named(printableNameProblems))
    .doc("Text put before every name; must be a valid start of a variable name."),
  configMapRef: optional(ConfigMapEnvSource).at(2).doc("The config map whose keys become variables."),
  secretRef: optional(SecretEnvSource).at(3).doc("The secret whose keys become variables."),
});
export type EnvFromSource = Static<typeof EnvFromSource>;

export const ObjectFieldSelector = struct(
  "core.v1.ObjectFieldSelector",
  {
    apiVersion: elided(string())
      .at(1)
      .required()
      .default("v1")
      .doc("The API version that fieldPath is written for. Default: v1."),
    fieldPath: string().at(2).required().doc("The path of the field, such as metadata.name."),
  },
  { from: { "1.22": { topology: "atomic" } } },
);
export type ObjectFieldSelector = Static<typeof ObjectFieldSelector>;

export const ResourceFieldSelector = struct(
  "core.v1.ResourceFieldSelector",
  {
    containerName: elided(string()).at(1).doc("The container; required for volumes, optional for variables."),
    resource: string().at(2).doc("limits.cpu, limits.memory, limits.ephemeral-storage, or the same with requests."),
    divisor: elided(quantity()).at(3).doc("The unit that the value is given in. Default: 1."),
  },
  { from: { "1.22": { topology: "atomic" } } },
);
export type ResourceFieldSelector = Static<typeof ResourceFieldSelector>;

const SecretKeySelector = struct(
  "core.v1.SecretKeySelector",
  {
    name: elided(string())
      .at(1, "localObjectReference")
      .named("subdomain")
      .evenEmpty()
      .doc("The name of the secret, in the namespace of the pod."),
    key: string().at(2).required().named("configKey").doc("The key whose value the variable gets. Required."),
    optional: optional(bool()).at(3).doc("Whether the secret or its key may be missing. Default: false."),
  },
  { inline: { localObjectReference: 1 }, from: { "1.22": { topology: "atomic" } } },
);

const FileKeySelector = struct(
  "core.v1.FileKeySelector",
  {
    volumeName: string().at(1).required().doc("The volume of the pod that has the file; an empty directory."),
    path: string()
      .at(2)
      .required()
      .named("pathWithoutParents")
      .doc("The path of the file within the volume, without .."),
    key: string().at(3).required().named(printableNameProblems).doc("The variable of the file whose value is used."),
    optional: optional(bool()).at(4).default(false).doc("Whether the file or its key may be missing. Default: false."),
  },
  { topology: "atomic" },
);

const EnvVarSource = struct("core.v1.EnvVarSource", {
  fieldRef: optional(ObjectFieldSelector).at(1).doc("A field of the pod, such as metadata.name or status.podIP."),
  resourceFieldRef: optional(ResourceFieldSelector).at(2).doc("A request or limit of a container."),
  configMapKeyRef: optional(ConfigMapKeySelector)
    .at(3)
    .doc("Takes the value from a key of a config map in the namespace of the pod."),
  secretKeyRef: optional(SecretKeySelector)
    .at(4)
    .doc("Takes the value from a key of a secret in the namespace of the pod."),
  fileKeyRef: optional(FileKeySelector)
    .at(5)
    .since("1.34")
    .behind("EnvFiles")
    .doc("Takes the value from a file with variables in a volume that an init container has filled."),
});

export const EnvVar = struct("core.v1.EnvVar", {
  name: string()
    .at(1)
    .required()
    .before("1.32", (name) => name.named("envName"))
    .from("1.32", (name) => name.named(printableNameProblems))
    .doc("The name of the variable, such as HOME. Required."),
  value: elided(string())
    .at(2)
    .doc("The value; $(NAME) is replaced by an earlier variable, $$ by a dollar sign. Default: empty."),
  valueFrom: optional(EnvVarSource).at(3).doc("Where the value is read from; excludes value."),
});
export type EnvVar = Static<typeof EnvVar>;
