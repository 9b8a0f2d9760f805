/** What a workspace stores, and the admission plugin that keeps it within its limits. */

import type { AdmissionPlugin } from "../../admission/contract.ts";
import { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import type { WorkspaceLimits } from "../../api/tenancy/v1alpha1/workspace.ts";
import type { KvChange } from "../../kv/contract.ts";
import { familyIdOf } from "../../machinery/schema/identity.ts";
import { forbiddenRequest } from "../../machinery/status/status.ts";
import { parseQuantity, wholeValue } from "../../machinery/values/quantity.ts";
import { objectPrefix, prefixOf } from "../../registry/keys.ts";
import { workspaceBytesMax, workspaceDefinitionsMax, workspaceObjectsMax } from "./limits.ts";

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
      subresource === "" &&
      (operation === "CREATE" || operation === "UPDATE") &&
      kind.declaration.verbs?.includes("list") !== false,
    validate({ operation, kind, name }) {
      const used = usage();
      if (used === undefined) return;
      const given = limits() ?? {};
      const refuse = (what: string) => {
        const subject = { group: kind.group, kind: kind.resource };
        throw forbiddenRequest(subject, name, `the workspace may not store more than ${what}`);
      };
      const bytesMax = bytesIn(given.bytes) ?? workspaceBytesMax;
      if (used.bytes >= bytesMax) refuse(`${bytesMax} bytes`);
      if (operation !== "CREATE") return;
      const { objects = workspaceObjectsMax, definitions = workspaceDefinitionsMax } = given;
      if (used.objects >= objects) refuse(`${objects} objects`);
      const isDefinition = kind.family.id === familyIdOf(CustomResourceDefinition);
      if (isDefinition && used.definitions >= definitions) refuse(`${definitions} definitions`);
    },
  };
}

function bytesIn(text: string | undefined): number | undefined {
  const quantity = text === undefined ? undefined : parseQuantity(text);
  return quantity && Number(wholeValue(quantity));
}
