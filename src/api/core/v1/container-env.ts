/** Where a container's environment comes from. */

import type { Static } from "../../../machinery/schema/build.ts";
import { bool, elided, optional, quantity, string, struct } from "../../../machinery/schema/build.ts";

export const ConfigMapEnvSource = struct(
  "core.v1.ConfigMapEnvSource",
  {
    name: elided(string()).at(1, "localObjectReference"),
    optional: optional(bool()).at(2),
  },
  { inline: { localObjectReference: 1 } },
);
export type ConfigMapEnvSource = Static<typeof ConfigMapEnvSource>;

export const ConfigMapKeySelector = struct(
  "core.v1.ConfigMapKeySelector",
  {
    name: elided(string()).at(1, "localObjectReference"),
    key: string().at(2),
    optional: optional(bool()).at(3),
  },
  { inline: { localObjectReference: 1 } },
);
export type ConfigMapKeySelector = Static<typeof ConfigMapKeySelector>;

export const SecretEnvSource = struct(
  "core.v1.SecretEnvSource",
  {
    name: elided(string()).at(1, "localObjectReference"),
    optional: optional(bool()).at(2),
  },
  { inline: { localObjectReference: 1 } },
);
export type SecretEnvSource = Static<typeof SecretEnvSource>;

export const EnvFromSource = struct("core.v1.EnvFromSource", {
  prefix: elided(string()).at(1),
  configMapRef: optional(ConfigMapEnvSource).at(2),
  secretRef: optional(SecretEnvSource).at(3),
});
export type EnvFromSource = Static<typeof EnvFromSource>;

export const ObjectFieldSelector = struct("core.v1.ObjectFieldSelector", {
  apiVersion: elided(string()).at(1).default("v1"),
  fieldPath: string().at(2),
});
export type ObjectFieldSelector = Static<typeof ObjectFieldSelector>;

export const ResourceFieldSelector = struct("core.v1.ResourceFieldSelector", {
  containerName: elided(string()).at(1),
  resource: string().at(2),
  divisor: elided(quantity()).at(3),
});
export type ResourceFieldSelector = Static<typeof ResourceFieldSelector>;

export const SecretKeySelector = struct(
  "core.v1.SecretKeySelector",
  {
    name: elided(string()).at(1, "localObjectReference"),
    key: string().at(2),
    optional: optional(bool()).at(3),
  },
  { inline: { localObjectReference: 1 } },
);
export type SecretKeySelector = Static<typeof SecretKeySelector>;

export const EnvVarSource = struct("core.v1.EnvVarSource", {
  fieldRef: optional(ObjectFieldSelector).at(1).doc("A field of the pod."),
  resourceFieldRef: optional(ResourceFieldSelector).at(2).doc("A request or limit of a container."),
  configMapKeyRef: optional(ConfigMapKeySelector).at(3).doc("A key of a config map."),
  secretKeyRef: optional(SecretKeySelector).at(4).doc("A key of a secret."),
});
export type EnvVarSource = Static<typeof EnvVarSource>;

export const EnvVar = struct("core.v1.EnvVar", {
  name: string().at(1).doc("What the variable is called."),
  value: elided(string())
    .at(2)
    .doc("A text in which $(NAME) stands for a variable named before it, and $$ for a dollar sign."),
  valueFrom: optional(EnvVarSource).at(3).doc("Where the value comes from; excludes value."),
});
export type EnvVar = Static<typeof EnvVar>;
