/** What a plugin may know about its server, passed to it when the chain is constructed. */

import { Namespace } from "../api/core/v1/namespace.ts";
import type { Authorizer } from "../authz/contract.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { WebhookCaller } from "../base/webhook-caller.ts";
import type { BoundKind, Catalog } from "../machinery/schema/catalog.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import { notFound, type StatusCause, type StatusDetails, StatusError } from "../machinery/status/status.ts";
import type { AdmissionRequest } from "../registry/contract/admission.ts";
import type { Registry } from "../registry/contract/registry.ts";
import type { PluginConfigurations } from "./configuration/admission-configuration.ts";
import type { WebhookMetrics } from "./webhooks/webhook-metrics.ts";

export interface AdmissionContext {
  readonly catalog: Catalog;
  readonly registry: Registry;
  /** All authorizers together, for plugins that check whether the user has further rights. */
  readonly authorizer: Authorizer;
  readonly clock: Clock;
  /** The clock by which a request waits for others. It goes on where `clock` stands still until a test moves it. */
  readonly waitClock: Clock;
  /** Whether a controller of this process creates the default accounts of namespaces. */
  readonly makesAccounts: boolean;
  readonly log: Log;
  /** The operator's configuration of a plugin, by the plugin's name; see `configuration/configuration-kind.ts` for how to read it. */
  readonly configuration: PluginConfigurations;
  /** How webhooks are called and measured. */
  readonly webhooks: { readonly caller: WebhookCaller; readonly metrics: WebhookMetrics };
  readonly notReadyTolerationSeconds: number;
  readonly unreachableTolerationSeconds: number;
}

/**
 * An object another decision depends on, in the version of `kind`, frozen: as an earlier write of the same transaction leaves it, else from
 * the cache. If that does not have it, the store is read, because another server may have written it a moment ago. Undefined: there is none.
 */
export function lookUp<T extends ApiObject>(
  { registry }: Pick<AdmissionContext, "registry">,
  kind: BoundKind<T>,
  ref: { readonly namespace: string; readonly name: string },
  request?: Pick<AdmissionRequest, "staged">,
): T | undefined | Promise<T | undefined> {
  const staged = request?.staged(kind, ref);
  if (staged !== undefined) return staged.object;
  const known = registry.peek(kind, ref);
  if (known !== undefined) return known.object();
  return registry.read(kind, ref).catch((error: unknown) => {
    if (error instanceof StatusError && error.reason === "NotFound") return undefined;
    throw error;
  });
}

/** A refusal by a plugin. The chain adds the name of the plugin, so that people know where to look. */
export class Refusal extends StatusError {
  readonly #subject: string;
  readonly #problem: string;

  constructor(subject: string, problem: string, details: StatusDetails) {
    super("Forbidden", `${subject} is forbidden: ${problem}`, { details });
    this.#subject = subject;
    this.#problem = problem;
  }

  /** Adds the name of the plugin after the message, whose beginning clients match on. */
  by(plugin: string): Refusal {
    return new Refusal(this.#subject, `${this.#problem} (admission plugin ${plugin})`, this.details ?? {});
  }
}

/** What a refusal says of a request, whatever the type of its object. */
type RefusedRequest = Pick<AdmissionRequest, "kind" | "name"> & {
  readonly object: Pick<ApiObject, "metadata"> | undefined;
};

/**
 * A refusal by a plugin, about the resource of the request.
 * @example
 * validate: (request) => { if (request.object.data?.secret) throw refuse(request, "no secrets in config maps"); },
 */
export function refuse(request: RefusedRequest, message: string, causes?: readonly StatusCause[]): Refusal {
  const { group, resource } = request.kind;
  const shown = group === "" ? resource : `${resource}.${group}`;
  // A name that is still to be generated is shown by its prefix, as v1.21 does.
  const { name: given, generateName } = request.object?.metadata ?? {};
  const name = request.name || given || generateName || "Unknown";
  const details = { name, ...(group === "" ? {} : { group }), kind: resource, ...(causes && { causes }) };
  return new Refusal(`${shown} "${name}"`, message, details);
}

/** Calls `use` with the namespace; refuses the request if it does not exist. */
export function withNamespace(
  context: AdmissionContext,
  request: Pick<AdmissionRequest, "namespace" | "staged">,
  use: (namespace: Namespace) => void,
): void | Promise<void> {
  const { namespace: name } = request;
  const go = (found: Namespace | undefined): void => {
    if (found === undefined) throw notFound({ group: "", kind: "namespaces" }, name);
    use(found);
  };
  const found = lookUp(context, context.catalog.of(Namespace), { namespace: "", name }, request);
  return found instanceof Promise ? found.then(go) : go(found);
}
