/** Makes a server serve the resources that a program defines. */

import { anObject, checkOptions } from "../../base/check-options.ts";
import { holdingClock, sleep } from "../../base/clock.ts";
import type { CallOptions, Client } from "../contract.ts";
import { CustomResourceDefinition } from "../kinds.ts";
import type { DefinedResource, DefinitionOptions } from "./define-resource.ts";

/** How often the server is asked whether it serves a definition. */
const pollMs = 20;

/**
 * What definitions say beside the declarations.
 * @example
 * await installResources(client, [Clock], { conversion: { url: "https://127.0.0.1:9443/convert", authority } });
 */
export interface InstallOptions extends CallOptions, DefinitionOptions {}

/**
 * Applies the definitions, and resolves when the server serves all of them.
 * @example
 * await installResources(client, [Widget]);
 */
export async function installResources(
  client: Client,
  resources: readonly DefinedResource<unknown>[],
  options: InstallOptions = {},
): Promise<void> {
  checkOptions("installResources", options, { signal: anObject, conversion: anObject });
  const { signal, conversion } = options;
  const definitions = client.of(CustomResourceDefinition);
  for (const resource of resources) {
    const definition = resource.definition(client.vocabulary, { conversion });
    await definitions.apply(definition, { manager: client.userAgent, force: true, signal });
  }
  for (const { resource, group } of resources) {
    const isServed = async () => {
      const { status } = await definitions.get(`${resource}.${group}`, { signal });
      return status?.conditions?.some(({ type, status }) => type === "Established" && status === "True") === true;
    };
    while (!(await isServed())) await sleep(holdingClock, pollMs, signal);
  }
}
