/** The file of --admission-control-config-file: the configuration of each plugin, inline or in a separate file. */

import { isObject } from "../../machinery/json/json-value.ts";
import { elided, json, list, optional, type Static, string, struct } from "../../machinery/schema/build.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { type ConfigurationKind, type PluginConfiguration, readConfiguration } from "./configuration-kind.ts";
import { decodeFile, type OperatorFile } from "./operator-file.ts";

/** Undefined: the operator configured nothing for this plugin. */
export type PluginConfigurations = (plugin: string) => PluginConfiguration | undefined;

export const noConfigurations: PluginConfigurations = () => undefined;

const fields = struct("config.AdmissionConfiguration", {
  plugins: elided(
    list(
      struct("config.AdmissionPluginConfiguration", {
        name: string(),
        path: elided(string()),
        configuration: optional(json()),
      }),
    ),
  ),
});

const AdmissionConfiguration: ConfigurationKind<Static<typeof fields>> = {
  versions: [
    { apiVersion: "apiserver.config.orch.io/v1", kind: "AdmissionConfiguration" },
    { apiVersion: "apiserver.orch.io/v1alpha1", kind: "AdmissionConfiguration" },
  ],
  schema: fields,
};

/** Plugins older than AdmissionConfiguration: a file without apiVersion and kind is theirs as a whole, as in v1.21. */
const readUnversioned = ["ImagePolicyWebhook", "PodNodeSelector"];

interface ReadOptions {
  readonly vocabulary: Vocabulary;
  readonly isPlugin: (name: string) => boolean;
  /** Called with a sentence about a version that a later release removes. */
  readonly warn?: (sentence: string) => void;
}

/**
 * Reads the file, and the files that its entries name. Of several entries for one plugin the first is used. Throws an Error
 * that names the file; `isPlugin` detects mistyped names, which would configure nothing.
 */
export function parseAdmissionConfiguration(
  file: OperatorFile,
  { vocabulary, isPlugin, warn }: ReadOptions,
): PluginConfigurations {
  const value = decodeFile(file);
  if (isObject(value) && value["apiVersion"] === undefined && value["kind"] === undefined) {
    return (plugin) => (readUnversioned.includes(plugin) ? { where: file.path, value, file } : undefined);
  }
  const { plugins = [] } = readConfiguration(AdmissionConfiguration, { where: file.path, value, file }, vocabulary);
  const current = `${vocabulary.group("apiserver.config.orch.io")}/v1`;
  if (isObject(value) && value["apiVersion"] !== current)
    warn?.(`${file.path}: AdmissionConfiguration of ${value["apiVersion"]} is deprecated; use ${current}`);
  const found = new Map<string, PluginConfiguration>();
  plugins.forEach(({ name, path = "", configuration }, index) => {
    const where = `${file.path}: plugins[${index}]`;
    if (!isPlugin(name)) throw new Error(`${where}: there is no admission plugin "${name}"`);
    if (found.has(name)) return;
    if (configuration !== undefined) {
      found.set(name, { where: `${where}.configuration`, value: configuration, file });
    } else if (path !== "") {
      const own = file.open(path);
      found.set(name, { where: own.path, value: decodeFile(own), file: own });
    }
  });
  return (plugin) => found.get(plugin);
}
