/** Rules of the URL of a webhook, and of the path of one that is a service of the cluster. */

import { parseUrlParts } from "../../../base/url-parts.ts";
import { isDns1123Subdomain } from "../../../machinery/meta/names.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import { type FieldError, invalid, required } from "../../../machinery/status/field-error.ts";
import { has } from "../../features.ts";

/** NAME.NAMESPACE.svc, with or without the cluster's domain and a port: only the server itself knows where that is. */
const serviceHost = /^[^.]+\.[^.]+\.svc(?:[.:]|$)/i;

/** At level 1.21 the host must not be a service, as the specification says; later a control plane may have webhooks in another cluster. */
export function validateUrl(text: string, _path: string, environment: Pick<Environment, "level">): FieldError[] {
  const form = "desired format: https://host[/path]";
  const url = parseUrlParts(text);
  // v1.21 reports an unreadable value as missing.
  if (url === undefined) return [required("", `url must be a valid URL; ${form}`)];
  const errors: FieldError[] = [];
  if (url.scheme !== "https") errors.push(invalid("", text, `'https' is the only allowed URL scheme; ${form}`));
  if (url.host === "") errors.push(invalid("", text, `host must be specified; ${form}`));
  if (!has(environment, "servicesOfOtherClusters") && serviceHost.test(url.host))
    errors.push(invalid("", text, "host must not be a service of the cluster; use service"));
  if (url.hasUser) errors.push(invalid("", text, "user information is not permitted in the URL"));
  if (url.fragment !== "") errors.push(invalid("", text, "fragments are not permitted in the URL"));
  if (url.query !== "") errors.push(invalid("", text, "query parameters are not permitted in the URL"));
  return errors;
}

export function validatePath(text: string): FieldError[] {
  if (text === "" || text === "/") return [];
  if (text === "//") return [invalid("", text, "segment[0] may not be empty")];
  if (!text.startsWith("/")) return [invalid("", text, "must start with a '/'")];
  const steps = text.slice(1).split("/");
  if (steps.at(-1) === "") steps.pop();
  return steps.flatMap((step, index) => {
    if (step === "") return [invalid("", text, `segment[${index}] may not be empty`)];
    return isDns1123Subdomain(step).map((problem) => invalid("", text, `segment[${index}]: ${problem}`));
  });
}
