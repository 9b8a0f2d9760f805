/** The configuration of ImagePolicyWebhook: which service is called, how long answers are cached, and what happens without one. */

import type { Endpoint } from "../../base/callout.ts";
import { parseEndpoint } from "../../machinery/client-file/endpoint.ts";
import { bool, elided, int64, type Static, string, struct } from "../../machinery/schema/build.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import {
  type ConfigurationKind,
  type PluginConfiguration,
  readConfiguration,
} from "../configuration/configuration-kind.ts";
import { decodeFile } from "../configuration/operator-file.ts";

const fields = struct("config.ImagePolicyWebhook", {
  imagePolicy: elided(
    struct("config.ImagePolicy", {
      kubeConfigFile: elided(string()),
      allowTTL: elided(int64()),
      denyTTL: elided(int64()),
      retryBackoff: elided(int64()),
      defaultAllow: elided(bool()),
    }),
  ),
});
const ImagePolicyConfiguration: ConfigurationKind<Static<typeof fields>> = { versions: [], schema: fields };

export interface ImagePolicy {
  readonly endpoint: Endpoint;
  /** How long an approval and a denial are cached; 0: they are not cached. */
  readonly allowTtlMs: number;
  readonly denyTtlMs: number;
  /** The wait before the second try. */
  readonly retryBackoffMs: number;
  /** The decision if the service does not answer. */
  readonly defaultAllow: boolean;
}

/** How a number of the file becomes milliseconds: 0 means the default, -1 means none. */
interface Bounds {
  readonly unitMs: number;
  readonly defaultMs: number;
  readonly minMs: number;
  readonly maxMs: number;
}
const halfAnHourMs = 30 * 60_000;
const allowTtl: Bounds = { unitMs: 1_000, defaultMs: 5 * 60_000, minMs: 1_000, maxMs: halfAnHourMs };
const denyTtl: Bounds = { unitMs: 1_000, defaultMs: 30_000, minMs: 1_000, maxMs: halfAnHourMs };
const retryBackoff: Bounds = { unitMs: 1, defaultMs: 500, minMs: 1, maxMs: 5 * 60_000 };

export function readImagePolicy(given: PluginConfiguration, vocabulary: Vocabulary): ImagePolicy {
  const { imagePolicy = {} } = readConfiguration(ImagePolicyConfiguration, given, vocabulary);
  const where = `${given.where}: imagePolicy`;
  return {
    endpoint: readEndpoint(given, imagePolicy.kubeConfigFile ?? "", `${where}.kubeConfigFile`),
    allowTtlMs: readDuration(imagePolicy.allowTTL, allowTtl, `${where}.allowTTL`),
    denyTtlMs: readDuration(imagePolicy.denyTTL, denyTtl, `${where}.denyTTL`),
    retryBackoffMs: readDuration(imagePolicy.retryBackoff, retryBackoff, `${where}.retryBackoff`),
    defaultAllow: imagePolicy.defaultAllow ?? false,
  };
}

function readEndpoint({ file }: PluginConfiguration, path: string, where: string): Endpoint {
  if (path === "") throw new Error(`${where}: must name the client configuration of the service`);
  const configuration = file.open(path);
  let endpoint: Endpoint;
  try {
    endpoint = parseEndpoint(decodeFile(configuration), (named) => configuration.open(named).text);
  } catch (cause) {
    throw new Error(`${where}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
  if (!endpoint.url.startsWith("https:")) throw new Error(`${where}: the server must be reached with https`);
  return endpoint;
}

function readDuration(value: number | undefined, { unitMs, defaultMs, minMs, maxMs }: Bounds, where: string): number {
  if (!value) return defaultMs;
  if (value === -1) return 0;
  const ms = value * unitMs;
  if (ms >= minMs && ms <= maxMs) return ms;
  throw new Error(`${where}: must be from ${minMs / unitMs} to ${maxMs / unitMs}, 0 for the default or -1 for none`);
}
