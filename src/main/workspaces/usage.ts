/** What a workspace stores, and the admission plugin that keeps it within its limits. */

import type { AdmissionPlugin } from "../../admission/contract.ts";
import { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import { Namespace } from "../../api/core/v1/namespace.ts";
import type { WorkspaceLimits } from "../../api/tenancy/v1alpha1/workspace.ts";
import type { KvChange } from "../../kv/contract.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import { familyIdOf } from "../../machinery/schema/identity.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { forbiddenRequest } from "../../machinery/status/status.ts";
import { parseQuantity, wholeValue } from "../../machinery/values/quantity.ts";
import { objectPrefix, prefixOf } from "../../registry/keys.ts";
import { emptiedNamespaceBytesMax, workspaceBytesMax, workspaceDefinitionsMax, workspaceObjectsMax } from "./limits.ts";

const definitionsPrefix = prefixOf({ id: familyIdOf(CustomResourceDefinition) });

/** Of its own objects: those of its type that it has not changed are shared, and not counted. */
export class WorkspaceUsage {
  readonly #sizes = new Map<string, number>();
  objects = 0;
  bytes = 0;
  definitions = 0;

  take(changes: readonly KvChange[]): void {
    for (const { key, value } of changes) {
      if (!key.startsWith(objectPrefix)) continue;
      const before = this.#sizes.get(key);
      if (before !== undefined) this.#count(key, -1, -before);
      if (value === undefined) this.#sizes.delete(key);
      else {
        this.#sizes.set(key, value.byteLength);
        this.#count(key, 1, value.byteLength);
      }
    }
  }

  #count(key: string, objects: number, bytes: number): void {
    this.objects += objects;
    this.bytes += bytes;
    if (key.startsWith(definitionsPrefix)) this.definitions += objects;
  }
}

/** What is stored counts: requests in progress may together pass a limit by their number. */
export function createUsageLimits(
  usage: () => WorkspaceUsage | undefined,
  limits: () => WorkspaceLimits | undefined,
): AdmissionPlugin {
  return {
    name: "WorkspaceLimits",
    handles: ({ operation, subresource, kind }) =>
      (operation === "UPDATE" || (operation === "CREATE" && subresource === "")) &&
      kind.declaration.verbs?.includes("list") !== false,
    validate({ operation, kind, name, object, old }) {
      const used = usage();
      if (used === undefined) return;
      const given = limits() ?? {};
      const refuse = (what: string) => {
        const subject = { group: kind.group, kind: kind.resource };
        throw forbiddenRequest(subject, name, `the workspace may not store more than ${what}`);
      };
      const bytesMax = bytesIn(given.bytes) ?? workspaceBytesMax;
      const isFull = used.bytes >= bytesMax;
      if (operation === "UPDATE") {
        if (isFull && grows(object, old) && !isEmptied(kind, object)) refuse(`${bytesMax} bytes`);
        return;
      }
      if (isFull) refuse(`${bytesMax} bytes`);
      const { objects = workspaceObjectsMax, definitions = workspaceDefinitionsMax } = given;
      if (used.objects >= objects) refuse(`${objects} objects`);
      const isDefinition = kind.family.id === familyIdOf(CustomResourceDefinition);
      if (isDefinition && used.definitions >= definitions) refuse(`${definitions} definitions`);
    },
  };
}

const sizeOf = (object: ApiObject | undefined): number => (object === undefined ? 0 : JSON.stringify(object).length);

/** Computed only where no byte is left: who has too much must be able to make it less. */
const grows = (object: ApiObject | undefined, old: ApiObject | undefined): boolean => sizeOf(object) > sizeOf(old);

/** The conditions of a namespace that is deleted are written before it goes; its deletion makes room. */
const isEmptied = (kind: BoundKind, object: ApiObject | undefined): boolean =>
  kind.family.id === familyIdOf(Namespace) &&
  object?.metadata.deletionTimestamp !== undefined &&
  sizeOf(object) <= emptiedNamespaceBytesMax;

function bytesIn(text: string | undefined): number | undefined {
  const quantity = text === undefined ? undefined : parseQuantity(text);
  return quantity && Number(wholeValue(quantity));
}
