/** A misspelled option would be a server without what the person asked for, so it is refused. */

import {
  able,
  amount,
  anObject,
  anything,
  callable,
  checkOptions,
  count,
  either,
  filled,
  flag,
  listOf,
  mapOf,
  type OptionRule,
  type OptionShape,
  oneOf,
  options,
  required,
  text,
} from "../../base/check-options.ts";
import type { ForkOptions, Waits } from "../../testkit/contract.ts";
import type { CreateServerOptions, FetchUser, RequestHandlerOptions, WebhookOptions } from "./options.ts";

const controllers: OptionRule = either(
  "false or a list of names",
  (value) => (value === false ? undefined : ""),
  listOf(filled),
);

const serverShape: OptionShape<CreateServerOptions> = {
  like: anything, // where it is read, the message lists what there is; the same of the next two
  vocabulary: oneOf("orch", "kubernetes"),
  emulatedVersion: anything,
  dataDir: filled,
  from: filled,
  history: filled,
  historyKinds: listOf(filled),
  listen: flag,
  host: filled,
  port: count(0),
  tokens: mapOf(options<Omit<FetchUser, "extra">>({ name: required(filled), groups: listOf(text), uid: text })),
  authorization: oneOf("RBAC", "AlwaysAllow"),
  featureGates: mapOf(flag),
  runtimeConfig: mapOf(flag),
  enableAdmissionPlugins: listOf(filled),
  proxyLocalTargets: anything,
  disableAdmissionPlugins: listOf(filled),
  controllers,
  nodes: anything,
  simulation: options<NonNullable<CreateServerOptions["simulation"]>>({
    portTargets: listOf(filled),
    pullFails: listOf(filled),
  }),
  admission: listOf(able("handles")),
  admissionConfiguration: anObject,
  clock: either(
    '"virtual", { virtual: "2026-01-01T00:00:00Z" } or a Clock',
    oneOf("virtual"),
    options<{ virtual: unknown }>({ virtual: required(anything) }),
    able("now", "monotonic", "after"),
  ),
  journal: flag,
  faultPlans: flag,
  forks: flag,
  workspaces: flag,
  workspaceLocalTargets: oneOf("deny", "allow"),
  log: able("debug", "info", "warn", "error"),
  tracing: able("startSpan"),
  random: callable,
};

export const checkServer = (given: CreateServerOptions): void => checkOptions("createServer", given, serverShape);

export const checkFork = (given: ForkOptions): void => checkOptions("fork", given, { controllers });

export const checkHandler = (given: RequestHandlerOptions): void =>
  checkOptions("handler", given, { authenticate: callable, prefix: text });

export const checkUser = (what: string, given: FetchUser): void =>
  checkOptions(what, given, {
    name: required(filled),
    groups: listOf(filled),
    uid: text,
    extra: mapOf(listOf(text)),
  });

export function checkWebhook(
  handlers: { readonly mutate?: unknown; readonly validate?: unknown },
  given: WebhookOptions,
): void {
  checkOptions("webhook", handlers, { mutate: callable, validate: callable });
  // The server would never ask it, and a test would pass that is about nothing.
  if (!handlers.mutate && !handlers.validate) throw new TypeError("webhook needs mutate, validate or both");
  checkOptions("webhook", given, {
    operations: listOf(oneOf("CREATE", "UPDATE", "DELETE", "CONNECT")),
    subresource: filled,
  });
}

type UntilOptions = NonNullable<Parameters<Waits["until"]>[3]>;

export const checkUntil = (what: string, given: UntilOptions = {}): void =>
  checkOptions(what, given, { namespace: text, timeoutMs: amount(0) });
