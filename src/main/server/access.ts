/** The third stage: who may do what, and the admission plugins, which ask that too. */

import { createAdmissionMetrics } from "../../admission/admission-metrics.ts";
import { createAdmission } from "../../admission/chain.ts";
import { noConfigurations } from "../../admission/configuration/admission-configuration.ts";
import type { AdmissionPlugin } from "../../admission/contract.ts";
import { choosePlugins } from "../../admission/order.ts";
import { createWebhookMetrics } from "../../admission/webhooks/webhook-metrics.ts";
import { systemClock } from "../../base/clock.ts";
import type { Lifetime } from "../../base/lifetime.ts";
import type { Metric } from "../../base/metrics.ts";
import type { Core } from "./core.ts";
import type { Extensions } from "./extensions.ts";
import type { ServerAccess, ServerOptions } from "./options.ts";

export interface OpenAccess extends ServerAccess {
  readonly admissionPlugins: readonly AdmissionPlugin[];
  readonly admissionMetrics: readonly Metric[];
}

/** From here on the registry's writes are admitted. */
export async function openAccess(
  options: ServerOptions,
  { registry, catalog, admission, changes }: Core,
  { webhookCaller }: Extensions,
  lifetime: Lifetime,
): Promise<OpenAccess> {
  const { clock, log } = options;
  const parts = { registry, catalog, clock, log };
  const access = await options.access.open(parts);
  lifetime.onClose(() => access.close?.());
  changes?.use(access.authorizer);
  const webhookMetrics = createWebhookMetrics();
  const meters = createAdmissionMetrics(clock);
  const { configuration = noConfigurations, ...choice } = options.admission;
  const plugins = choosePlugins(choice, {
    ...parts,
    waitClock: systemClock,
    makesAccounts: choice.makesAccounts ?? false,
    webhooks: { caller: webhookCaller, metrics: webhookMetrics },
    authorizer: access.authorizer,
    configuration,
    notReadyTolerationSeconds: choice.notReadyTolerationSeconds,
    unreachableTolerationSeconds: choice.unreachableTolerationSeconds,
  });
  admission.use(createAdmission(plugins, meters.meter, access.plugins));
  return { ...access, admissionPlugins: plugins, admissionMetrics: [...meters.metrics, ...webhookMetrics.metrics] };
}
