/** Flags that many commands share, and those that all commands have. */

import { anyDuration, bool, type FlagValues, int, string, stringArray, strings } from "../../base/flags/flag.ts";

const ignoredSwitch = bool("Ignored", false, { isHidden: true });
const ignoredText = string("Ignored", "", { isHidden: true });

export const globalFlags = {
  as: string("User to act as"),
  "as-group": stringArray("Group to act as; may be repeated"),
  "cache-dir": string("Folder for cached discovery documents and schemas"),
  "certificate-authority": string("File with the certificate authority of the server"),
  "client-certificate": string("File with a client certificate"),
  "client-key": string("File with the key of the client certificate"),
  cluster: string("The cluster of the configuration to use"),
  color: string("Colour of abnormal values: auto, always or never", "auto"),
  context: string("The context of the configuration to use"),
  "exit-codes": string("plain: 0 or 1; rich: a code for each common failure", "plain"),
  help: bool("Help for the command", false, { short: "h" }),
  "insecure-skip-tls-verify": bool("Accept any certificate of the server. Connections are then not safe"),
  kubeconfig: string("The client configuration file to use"),
  kuberc: string("File with your own defaults and aliases; off: none"),
  "match-server-version": bool("Require that the server has the version of this client"),
  namespace: string("The namespace of this request", "", { short: "n" }),
  password: string("Password for basic authentication"),
  profile: string("Ignored", "none", { isHidden: true }),
  "profile-output": string("Ignored", "profile.pprof", { isHidden: true }),
  quiet: bool("Print no hints, warnings or progress"),
  "request-timeout": string("How long to wait for an answer: 1s, 2m, 3h; 0: without limit", "0"),
  server: string("The address of the server", "", { short: "s" }),
  "tls-server-name": string("The name that the server's certificate must have"),
  token: string("Bearer token"),
  user: string("The user of the configuration to use"),
  username: string("Name for basic authentication"),
  v: int("How much to log about requests, on standard error: 6 and more", 0, { short: "v" }),
  vocabulary: string("The names to speak: orch or kubernetes. Default: those of the server"),
  "warnings-as-errors": bool("End with an error if the server warns"),
  "add-dir-header": ignoredSwitch,
  alsologtostderr: ignoredSwitch,
  "log-backtrace-at": ignoredText,
  "log-dir": ignoredText,
  "log-file": ignoredText,
  "log-file-max-size": ignoredText,
  "log-flush-frequency": ignoredText,
  logtostderr: ignoredSwitch,
  "one-output": ignoredSwitch,
  "skip-headers": ignoredSwitch,
  "skip-log-headers": ignoredSwitch,
  stderrthreshold: ignoredText,
  vmodule: ignoredText,
};

export const filenameFlags = {
  filename: strings("Files, folders, https URLs, or - for standard input", [], { short: "f" }),
  kustomize: string("Folder with a kustomization", "", { short: "k" }),
  recursive: bool("Also read the subfolders of a folder of -f", false, { short: "R" }),
};

export const selectorFlag = {
  selector: string("Label selector, with '=', '==', '!=', in (...), notin (...)", "", { short: "l" }),
};

export const fieldSelectorFlag = { "field-selector": string("Field selector, with '=', '==', '!='") };

export const allNamespacesFlag = { "all-namespaces": bool("Objects of all namespaces", false, { short: "A" }) };

/** Later releases of kubectl also have it. */
export const subresourceFlag = {
  subresource: string("status, scale or resize: that part of the object instead of the whole"),
};

export const allFlag = { all: bool("All objects of the types in the namespace") };

export const dryRunFlag = {
  "dry-run": string("none; client: send nothing; server: all checks of the server, nothing stored", "none", {
    bare: "unchanged",
  }),
};

/** `command`: the suffix of the default; help and servers see the name of the program instead of "ctl". */
export const fieldManagerFlag = (command: string) => ({
  "field-manager": string("The name under which changed fields are owned", command === "" ? "ctl" : `ctl-${command}`),
});

export const recordFlag = { record: bool("Record this command in the change-cause annotation") };

export const validateFlag = {
  validate: string("strict: unknown fields are errors; warn; ignore. true is strict, false is ignore", "true", {
    bare: "true",
  }),
};

export const localFlag = { local: bool("Change only the file, without contacting the server") };

const wholeFormats = "json, yaml, ndjson, name";
const templateFormats =
  "go-template, go-template-file, template, templatefile, jsonpath, jsonpath-as-json, jsonpath-file";

/** `-o` and related flags. */
export const printFlags = {
  output: string(`${wholeFormats}, ${templateFormats}`, "", { short: "o" }),
  template: string("Template for -o go-template and -o go-template-file"),
  "allow-missing-template-keys": bool("A missing field in a template is not an error", true),
  "show-managed-fields": bool("Keep managedFields in JSON and YAML output"),
};

export const saveConfigFlag = { "save-config": bool("Save the configuration in the last-applied annotation") };

export const chunkSizeFlag = (size: number) => ({
  "chunk-size": int("How many objects to request at once; 0: all", size),
});

export const podTimeoutFlag = (fallbackMs: number) => ({
  "pod-running-timeout": anyDuration("How long to wait until a workload has a pod", fallbackMs),
});

export const windowsFlag = { "windows-line-endings": bool("Lines of the draft end with CR LF") };

/** How objects are shown as a table. */
export const tableFlags = {
  "sort-by": string("JSONPath of the field to sort by"),
  "label-columns": strings("Labels to show as columns", [], { short: "L" }),
  "show-labels": bool("Show all labels in the last column"),
  "show-kind": bool("Show the type before the name"),
  "no-headers": bool("Print no headers"),
  "ignore-not-found": bool("An object that does not exist is not an error"),
  "server-print": bool("Let the server make the table", true),
  output: string(
    `${wholeFormats}, wide, csv, custom-columns, custom-columns-file, ${templateFormats}; csv not under the name kubectl`,
    "",
    { short: "o" },
  ),
};

/** What selectors cannot say. kubectl has none of it. */
export const questionFlags = {
  where: string("An expression that must be true of an object, which it calls self; not under the name kubectl"),
  "order-by": string("Fields to sort by on the server, such as 'spec.replicas desc'; not under the name kubectl"),
};

/** Flags that shared code reads: a command that does not declare one of them has no value for it. */
type SharedFlags = typeof filenameFlags &
  typeof selectorFlag &
  typeof fieldSelectorFlag &
  typeof questionFlags &
  typeof allNamespacesFlag &
  typeof subresourceFlag &
  typeof allFlag &
  typeof dryRunFlag &
  ReturnType<typeof fieldManagerFlag> &
  typeof recordFlag &
  typeof validateFlag &
  typeof localFlag &
  typeof saveConfigFlag &
  ReturnType<typeof chunkSizeFlag> &
  ReturnType<typeof podTimeoutFlag> &
  typeof windowsFlag &
  typeof printFlags;

export interface CommonValues extends FlagValues<typeof globalFlags>, Partial<FlagValues<SharedFlags>> {}
