/** Whether the server of a conversion webhook can be checked: which bundles of authorities definitions may have. */

import { parsePem } from "../../../base/pem.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import type { CustomResourceDefinitionSpec } from "../v1/definition-spec.ts";

/** The first release that looks into the bundle of a conversion webhook. */
const bundlesSince = "1.31";

/** Whether the bundle has certificates; an empty one stands for the authorities of the system. Always true at lower levels. */
export function isUsableBundle(base64: string, environment: Pick<Environment, "since">): boolean {
  return !environment.since(bundlesSince) || hasAuthorities(base64);
}

function hasAuthorities(base64: string): boolean {
  if (base64 === "") return true;
  return parsePem(Buffer.from(base64, "base64").toString("utf8")).some(({ label }) => label === "CERTIFICATE");
}

const bundleOf = ({ conversion }: Pick<CustomResourceDefinitionSpec, "conversion">): string =>
  (conversion?.strategy === "Webhook" ? conversion.webhook?.clientConfig?.caBundle : undefined) ?? "";

/** A definition is not established before the webhook that converts its objects can be called. */
export function canConvert(
  spec: Pick<CustomResourceDefinitionSpec, "conversion">,
  environment: Pick<Environment, "since">,
): boolean {
  return isUsableBundle(bundleOf(spec), environment);
}

/** Whether objects are served. Releases that do not look into the bundle establish the definition, and then fail to call the webhook. */
export function canServe(
  spec: Pick<CustomResourceDefinitionSpec, "conversion">,
  isEstablished: boolean,
  environment: Pick<Environment, "since">,
): boolean {
  return hasAuthorities(bundleOf(spec)) || (isEstablished && environment.since(bundlesSince));
}
