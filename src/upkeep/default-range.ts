/** The ServiceCIDR of --service-cluster-ip-range, from which services get their addresses unless there are others. */

import { ServiceCIDR } from "../api/networking/v1/service-cidr.ts";
import type { Catalog } from "../machinery/schema/catalog.ts";
import { StatusError } from "../machinery/status/status.ts";
import { timeText } from "../machinery/values/time.ts";
import type { Registry } from "../registry/contract/registry.ts";
import { serverWrites } from "../registry/contract/server-writes.ts";

/** Made once and made ready; a range of an earlier start stays as it is, and gets the second IP family when the flag has one. */
export async function makeDefaultRange(
  registry: Pick<Registry, "peek" | "create" | "update">,
  catalog: Catalog,
  ranges: readonly { readonly text: string }[],
): Promise<void> {
  const { vocabulary, clock } = catalog.environment;
  const kind = catalog.of(ServiceCIDR);
  const ref = { namespace: "", name: vocabulary.word("orch") };
  const context = serverWrites("bootstrap objects", vocabulary);
  const cidrs = ranges.map(({ text }) => text);
  if (registry.peek(kind, ref) === undefined) {
    await registry
      .create(kind, { metadata: { name: ref.name }, spec: { cidrs } }, ref, context)
      .catch((error: unknown) => {
        // Another server of the same store was faster.
        if (!(error instanceof StatusError) || error.reason !== "AlreadyExists") throw error;
      });
  }
  const before = registry.peek(kind, ref)?.object().spec?.cidrs ?? [];
  if (before.length < cidrs.length && before.every((range, index) => cidrs[index] === range)) {
    const widen = (current: ServiceCIDR | undefined) => ({ ...(current as ServiceCIDR), spec: { cidrs } }); // it exists
    await registry.update(kind, ref, widen, context, { retry: true });
  }
  if (registry.peek(kind, ref)?.object().status?.conditions?.length) return;
  const ready = {
    type: "Ready",
    status: "True",
    reason: "",
    message: "the default range of services is ready",
    lastTransitionTime: timeText(clock.now()),
  };
  const condition = (current: ServiceCIDR | undefined) => ({
    ...(current as ServiceCIDR), // it exists
    status: { conditions: [ready] },
  });
  await registry.update(kind, ref, condition, context, { subresource: "status", retry: true });
}
