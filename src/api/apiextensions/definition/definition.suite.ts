/** Definitions to begin with: the smallest that are valid, in both versions. */

import { bindVersions, create } from "../../life.suite.ts";
import { CustomResourceDefinition } from "../v1/custom-resource-definition.ts";
import { CustomResourceDefinition as Beta } from "../v1beta1/custom-resource-definition.ts";

const definitions = bindVersions([CustomResourceDefinition, Beta]);
export const v1 = definitions.version("v1");
export const beta = definitions.version("v1beta1");
export const { environment } = v1.family;

export const metadata = { name: "things.example.com" };
export const names = { plural: "things", kind: "Thing" };
export const object = { openAPIV3Schema: { type: "object" } };
export const version = (given: object = {}) => ({ name: "v1", served: true, storage: true, schema: object, ...given });
export const stable = (given: object = {}) => ({
  metadata,
  spec: { group: "example.com", scope: "Namespaced", names, versions: [version()], ...given },
});
export const old = (given: object = {}) => ({
  metadata,
  spec: { group: "example.com", version: "v1", names, ...given },
});

export const problemsOf = (given: object) => create(v1, stable(given)).problems;
