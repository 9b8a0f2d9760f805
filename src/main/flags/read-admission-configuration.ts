/** Reads the file of --admission-control-config-file and the files that it names. */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import {
  noConfigurations,
  type PluginConfigurations,
  parseAdmissionConfiguration,
} from "../../admission/configuration/admission-configuration.ts";
import { operatorFile } from "../../admission/configuration/operator-file.ts";
import { admissionOrder } from "../../admission/order.ts";
import { FlagError } from "../../base/flags/flag.ts";
import { didYouMean } from "../../base/suggest.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { describeReadProblem, readFlagFile, useFlagFile } from "./read-file.ts";
import type { IsServed } from "./runtime-config.ts";

const flag = "admission-control-config-file";

export async function readAdmissionConfiguration(
  flags: { readonly [flag]: string },
  vocabulary: Vocabulary,
  warn: (sentence: string) => void,
): Promise<PluginConfigurations> {
  const given = flags[flag];
  if (given === "") return noConfigurations;
  const path = resolve(given);
  const text = await readFlagFile(flag, path);
  return useFlagFile(flag, given, () =>
    parseAdmissionConfiguration(operatorFile(path, text, read), { vocabulary, isPlugin, warn }),
  );
}

/** Configurations from a program instead of a file, by plugin. Paths in them are relative to the working directory. */
export function givenConfigurations(given: Readonly<Record<string, unknown>>): PluginConfigurations {
  for (const name of Object.keys(given)) {
    const hint = () => didYouMean(name, pluginNames) || `; there are ${pluginNames.join(", ")}`;
    if (!isPlugin(name)) throw new Error(`admissionConfiguration: there is no admission plugin "${name}"${hint()}`);
  }
  const file = operatorFile(resolve("admissionConfiguration"), "", read);
  return (name) =>
    Object.hasOwn(given, name) ? { where: `admissionConfiguration.${name}`, value: given[name], file } : undefined;
}

/** The reviews of ImagePolicyWebhook: an alpha version that must be turned on although no path serves it. */
export const imageReviews = { group: "imagepolicy.orch.io", version: "v1alpha1", resource: "imagereviews" } as const;

/** Throws if the plugin is enabled without the version of its reviews. */
export function checkImageReviews(plugins: readonly string[], isServed: IsServed, vocabulary: Vocabulary): void {
  const { version, resource } = imageReviews;
  const group = vocabulary.group(imageReviews.group);
  if (!plugins.includes("ImagePolicyWebhook") || isServed(group, version, resource)) return;
  throw new FlagError(`admission plugin ImagePolicyWebhook needs --runtime-config=${group}/${version}=true`);
}

const pluginNames = admissionOrder.map(({ name }) => name);
const isPlugin = (name: string): boolean => pluginNames.includes(name);

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new Error(`cannot read ${path}: ${describeReadProblem(cause)}`, { cause });
  }
}
