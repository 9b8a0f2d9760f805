/** The configured webhooks, followed in the registry: a configuration is effective as soon as its write is acknowledged. */

import { MutatingWebhookConfiguration } from "../../api/admissionregistration/v1/mutating-webhook-configuration.ts";
import { ValidatingWebhookConfiguration } from "../../api/admissionregistration/v1/validating-webhook-configuration.ts";
import { type BoundKind, type Catalog, isVersionOf } from "../../machinery/schema/catalog.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { Registry } from "../../registry/contract/registry.ts";
import { type Webhook, type WebhookConfiguration, type WebhookType, webhooksOf } from "./webhook.ts";
import { createWebhookIndex, type WebhookIndex } from "./webhook-index.ts";

/** Lasts as long as the registry that it follows. */
interface Configurations {
  /** The index of all webhooks in the order of their configurations' names, then of the list. */
  current(): WebhookIndex;
}

export function followConfigurations(registry: Registry, catalog: Catalog, type: WebhookType): Configurations {
  return type === "mutating"
    ? follow(registry, catalog, catalog.of(MutatingWebhookConfiguration), type)
    : follow(registry, catalog, catalog.of(ValidatingWebhookConfiguration), type);
}

function follow<T extends ApiObject & WebhookConfiguration>(
  registry: Registry,
  catalog: Catalog,
  kind: BoundKind<T>,
  type: WebhookType,
): Configurations {
  const byName = new Map<string, readonly Webhook[]>();
  let index: WebhookIndex | undefined;
  let generation = catalog.generation;
  registry.observe(kind, ({ entry, deleted }) => {
    if (deleted) byName.delete(entry.name);
    else byName.set(entry.name, webhooksOf(entry.object(), type, catalog.environment.level));
    index = undefined;
  });
  for (const entry of registry.peekAll(kind))
    byName.set(entry.name, webhooksOf(entry.object(), type, catalog.environment.level));
  return {
    current() {
      // Equivalent versions may have changed with the served kinds.
      if (index === undefined || generation !== catalog.generation) {
        const names = [...byName.keys()].sort();
        index = createWebhookIndex(
          names.flatMap((name) => byName.get(name) ?? []),
          catalog,
        );
        generation = catalog.generation;
      }
      return index;
    },
  };
}

/** Webhooks are never called for webhook configurations: a broken one could not be repaired any more. */
export function configuresWebhooks(kind: BoundKind): boolean {
  return isVersionOf(kind, MutatingWebhookConfiguration) || isVersionOf(kind, ValidatingWebhookConfiguration);
}
