/** Checks of how a webhook is reached: by URL, or as a service of the cluster. */

import { parseUrlParts } from "../../../base/url-parts.ts";
import { isDns1123Subdomain } from "../../../machinery/meta/names.ts";
import { type FieldError, invalid, required } from "../../../machinery/status/field-error.ts";
import type { WebhookClientConfig } from "./webhook-client.ts";

export function validateClient(client: WebhookClientConfig, path: string): FieldError[] {
  const { url, service } = client;
  if ((url === undefined) === (service === undefined))
    return [required(path, "exactly one of url or service is required")];
  return url === undefined
    ? validateService(service ?? { namespace: "", name: "" }, `${path}.service`)
    : validateUrl(url, `${path}.url`);
}

/** NAME.NAMESPACE.svc, with or without the cluster's domain and a port: only the server itself knows where that is. */
const serviceHost = /^[^.]+\.[^.]+\.svc(?:[.:]|$)/i;

export function validateUrl(text: string, path: string): FieldError[] {
  const form = "desired format: https://host[/path]";
  const url = parseUrlParts(text);
  // v1.21 reports an unreadable value as missing.
  if (url === undefined) return [required(path, `url must be a valid URL; ${form}`)];
  const errors: FieldError[] = [];
  if (url.scheme !== "https") errors.push(invalid(path, text, `'https' is the only allowed URL scheme; ${form}`));
  if (url.host === "") errors.push(invalid(path, text, `host must be specified; ${form}`));
  if (serviceHost.test(url.host))
    errors.push(invalid(path, text, "host must not be a service of the cluster; use service"));
  if (url.hasUser) errors.push(invalid(path, text, "user information is not permitted in the URL"));
  if (url.fragment !== "") errors.push(invalid(path, text, "fragments are not permitted in the URL"));
  if (url.query !== "") errors.push(invalid(path, text, "query parameters are not permitted in the URL"));
  return errors;
}

interface Service {
  readonly namespace: string;
  readonly name: string;
  readonly path?: string;
  readonly port?: number;
}

/** v1.21 swaps name and namespace in the error about a missing one. */
export function validateService(service: Service, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (service.namespace === "") errors.push(required(`${path}.name`));
  if (service.name === "") errors.push(required(`${path}.namespace`));
  const port = service.port ?? 443;
  if (port < 1 || port > 65535)
    errors.push(invalid(`${path}.port`, port, "port is not valid: must be between 1 and 65535, inclusive"));
  return service.path === undefined ? errors : [...errors, ...validatePath(service.path, `${path}.path`)];
}

function validatePath(text: string, path: string): FieldError[] {
  if (text === "" || text === "/") return [];
  if (text === "//") return [invalid(path, text, "segment[0] may not be empty")];
  if (!text.startsWith("/")) return [invalid(path, text, "must start with a '/'")];
  const steps = text.slice(1).split("/");
  if (steps.at(-1) === "") steps.pop();
  return steps.flatMap((step, index) => {
    if (step === "") return [invalid(path, text, `segment[${index}] may not be empty`)];
    return isDns1123Subdomain(step).map((problem) => invalid(path, text, `segment[${index}]: ${problem}`));
  });
}
