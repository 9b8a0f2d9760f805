/** Flags that many commands share, and those that all commands have. */

import type { Flag } from "./flag.ts";

export const globalFlags: readonly Flag[] = [
  { name: "as", type: "text", help: "User to act as" },
  { name: "as-group", type: "array", help: "Group to act as; may be repeated" },
  { name: "cache-dir", type: "text", help: "Folder for cached discovery documents and schemas" },
  { name: "certificate-authority", type: "text", help: "File with the certificate authority of the server" },
  { name: "client-certificate", type: "text", help: "File with a client certificate" },
  { name: "client-key", type: "text", help: "File with the key of the client certificate" },
  { name: "cluster", type: "text", help: "The cluster of the configuration to use" },
  { name: "color", type: "text", value: "auto", help: "Colour of abnormal values: auto, always or never" },
  { name: "context", type: "text", help: "The context of the configuration to use" },
  { name: "exit-codes", type: "text", value: "plain", help: "plain: 0 or 1; rich: a code for each common failure" },
  { name: "help", short: "h", type: "bool", help: "Help for the command" },
  {
    name: "insecure-skip-tls-verify",
    type: "bool",
    help: "Accept any certificate of the server. Connections are then not safe",
  },
  { name: "kubeconfig", type: "text", help: "The client configuration file to use" },
  { name: "kuberc", type: "text", help: "File with your own defaults and aliases; off: none" },
  { name: "match-server-version", type: "bool", help: "Require that the server has the version of this client" },
  { name: "namespace", short: "n", type: "text", help: "The namespace of this request" },
  { name: "password", type: "text", help: "Password for basic authentication" },
  { name: "profile", type: "text", value: "none", help: "Ignored", isHidden: true },
  { name: "profile-output", type: "text", value: "profile.pprof", help: "Ignored", isHidden: true },
  { name: "quiet", type: "bool", help: "Print no hints, warnings or progress" },
  {
    name: "request-timeout",
    type: "text",
    value: "0",
    help: "How long to wait for an answer: 1s, 2m, 3h; 0: without limit",
  },
  { name: "server", short: "s", type: "text", help: "The address of the server" },
  { name: "tls-server-name", type: "text", help: "The name that the server's certificate must have" },
  { name: "token", type: "text", help: "Bearer token" },
  { name: "user", type: "text", help: "The user of the configuration to use" },
  { name: "username", type: "text", help: "Name for basic authentication" },
  {
    name: "v",
    short: "v",
    type: "int",
    value: "0",
    help: "How much to log about requests, on standard error: 6 and more",
  },
  { name: "vocabulary", type: "text", help: "The names to speak: orch or kubernetes. Default: those of the server" },
  { name: "warnings-as-errors", type: "bool", help: "End with an error if the server warns" },
  ...["alsologtostderr", "add-dir-header", "logtostderr", "one-output", "skip-headers", "skip-log-headers"].map(
    (name): Flag => ({ name, type: "bool", help: "Ignored", isHidden: true }),
  ),
  ...[
    "log-backtrace-at",
    "log-dir",
    "log-file",
    "log-file-max-size",
    "log-flush-frequency",
    "stderrthreshold",
    "vmodule",
  ].map((name): Flag => ({ name, type: "text", help: "Ignored", isHidden: true })),
];

export const filenameFlags: readonly Flag[] = [
  { name: "filename", short: "f", type: "list", help: "Files, folders, https URLs, or - for standard input" },
  { name: "kustomize", short: "k", type: "text", help: "Folder with a kustomization" },
  { name: "recursive", short: "R", type: "bool", help: "Also read the subfolders of a folder of -f" },
];

export const selectorFlag: Flag = {
  name: "selector",
  short: "l",
  type: "text",
  help: "Label selector, with '=', '==', '!=', in (...), notin (...)",
};

export const fieldSelectorFlag: Flag = {
  name: "field-selector",
  type: "text",
  help: "Field selector, with '=', '==', '!='",
};

export const allNamespacesFlag: Flag = {
  name: "all-namespaces",
  short: "A",
  type: "bool",
  help: "Objects of all namespaces",
};

/** Later releases of kubectl also have it. */
export const subresourceFlag: Flag = {
  name: "subresource",
  type: "text",
  help: "status or scale: that part of the object instead of the whole",
};

export const allFlag: Flag = { name: "all", type: "bool", help: "All objects of the types in the namespace" };

export const dryRunFlag: Flag = {
  name: "dry-run",
  type: "text",
  value: "none",
  bare: "unchanged",
  help: "none; client: send nothing; server: all checks of the server, nothing stored",
};

/** `command`: the suffix of the default; help and servers see the name of the program instead of "ctl". */
export const fieldManagerFlag = (command: string): Flag => ({
  name: "field-manager",
  type: "text",
  value: command === "" ? "ctl" : `ctl-${command}`,
  help: "The name under which changed fields are owned",
});

export const recordFlag: Flag = {
  name: "record",
  type: "bool",
  help: "Record this command in the change-cause annotation",
};

export const validateFlag: Flag = {
  name: "validate",
  type: "text",
  value: "true",
  bare: "true",
  help: "Check objects against the schema before they are sent",
};

export const localFlag: Flag = {
  name: "local",
  type: "bool",
  help: "Change only the file, without contacting the server",
};

/** `-o` and related flags. */
export const printFlags: readonly Flag[] = [
  {
    name: "output",
    short: "o",
    type: "text",
    help: "json, yaml, name, go-template, go-template-file, template, templatefile, jsonpath, jsonpath-as-json, jsonpath-file",
  },
  { name: "template", type: "text", help: "Template for -o go-template and -o go-template-file" },
  {
    name: "allow-missing-template-keys",
    type: "bool",
    value: "true",
    help: "A missing field in a template is not an error",
  },
  { name: "show-managed-fields", type: "bool", help: "Keep managedFields in JSON and YAML output" },
];
