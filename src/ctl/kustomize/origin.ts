/** `buildMetadata`: annotations that say from where a resource is and what changed it, and a label that says who built it. */

import { encodeYaml } from "../../machinery/codec/yaml-print.ts";
import type { Resource } from "./resource.ts";
import { ensureMembers, put } from "./value.ts";

export interface BuildOrigin {
  /** The file of a resource. */
  readonly path?: string;
  /** The kustomization or plugin file of a generator or transformer. */
  readonly configuredIn?: string;
  readonly configuredBy?: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name?: string;
    readonly namespace?: string;
  };
}

const originKey = "config.kubernetes.io/origin";
const transformationsKey = "alpha.config.kubernetes.io/transformations";
const managedByKey = "app.kubernetes.io/managed-by";
/** The release of kustomize whose behaviour this has. */
const managedBy = "kustomize-v5.8.1";

/** What is asked for at the root counts for all bases. */
export class BuildMetadata {
  readonly hasOrigins: boolean;
  readonly hasTransformations: boolean;
  readonly hasLabel: boolean;
  readonly isWanted: boolean;

  constructor(options: readonly string[]) {
    this.hasOrigins = options.includes("originAnnotations");
    this.hasTransformations = options.includes("transformerAnnotations");
    this.hasLabel = options.includes("managedByLabel");
    this.isWanted = options.length > 0;
  }

  annotate(resource: Resource): void {
    if (this.hasOrigins && resource.origin !== undefined)
      put(annotationsOf(resource), originKey, originText(resource.origin));
    if (this.hasTransformations && resource.transformations.length > 0)
      put(annotationsOf(resource), transformationsKey, resource.transformations.map(itemText).join(""));
    if (this.hasLabel) put(ensureMembers(resource.members, "metadata", "labels"), managedByKey, managedBy);
  }
}

const annotationsOf = (resource: Resource) => ensureMembers(resource.members, "metadata", "annotations");

/** The members in the order of their declaration. */
function originText({ path, configuredIn, configuredBy }: BuildOrigin): string {
  return [
    path === undefined ? "" : encodeYaml({ path }),
    configuredIn === undefined ? "" : encodeYaml({ configuredIn }),
    configuredBy === undefined ? "" : encodeYaml({ configuredBy }),
  ].join("");
}

const itemText = (origin: BuildOrigin): string =>
  originText(origin).replaceAll(/^/gm, "  ").replace(/^ {2}/, "- ").replace(/ {2}$/, "");
