/** ConfigMaps and Secrets that a kustomization generates from literals and files. */

import { basename } from "node:path";
import { CtlError } from "../errors.ts";
import type { KustomizationFolder } from "./folder.ts";
import { textsIn } from "./kustomization.ts";
import { type Behavior, Resource } from "./resource.ts";
import { at, isMembers, type Members, put, textAt, type YamlValue } from "./value.ts";

/** `defaults`: the `generatorOptions` of the kustomization. */
export function generateConfigMap(
  generator: Members,
  defaults: YamlValue | undefined,
  folder: KustomizationFolder,
): Resource {
  const data: Members = {};
  const binaryData: Members = {};
  for (const [key, value] of pairs(generator, "configmap", folder)) {
    const decoded = value.toString("utf8");
    if (Buffer.from(decoded).equals(value)) put(data, key, decoded);
    else put(binaryData, key, base64(value));
  }
  const content: Members = { apiVersion: "v1", kind: "ConfigMap" };
  if (Object.keys(data).length > 0) put(content, "data", data);
  if (Object.keys(binaryData).length > 0) put(content, "binaryData", binaryData);
  return generated(generator, defaults, content);
}

export function generateSecret(
  generator: Members,
  defaults: YamlValue | undefined,
  folder: KustomizationFolder,
): Resource {
  const data: Members = {};
  for (const [key, value] of pairs(generator, "secret", folder)) put(data, key, base64(value));
  return generated(generator, defaults, {
    apiVersion: "v1",
    kind: "Secret",
    data,
    type: textAt(generator, "type") || "Opaque",
  });
}

const lineCharsMax = 70;

/** Long values have lines. */
function base64(value: Buffer): string {
  const text = value.toString("base64");
  return text.length <= lineCharsMax ? text : text.replaceAll(new RegExp(`.{1,${lineCharsMax}}`, "g"), "$&\n");
}

function generated(generator: Members, defaults: YamlValue | undefined, content: Members): Resource {
  const own = at(generator, "options");
  const metadata: Members = { name: textAt(generator, "name") };
  if (textAt(generator, "namespace") !== "") put(metadata, "namespace", textAt(generator, "namespace"));
  for (const field of ["labels", "annotations"]) {
    const merged = { ...membersOf(at(defaults, field)), ...membersOf(at(own, field)) };
    if (Object.keys(merged).length > 0) put(metadata, field, merged);
  }
  const isSet = (option: string) => at(own, option) === true || at(defaults, option) === true;
  put(content, "metadata", metadata);
  if (isSet("immutable")) put(content, "immutable", true);
  const resource = new Resource(content);
  resource.needsHash = !isSet("disableNameSuffixHash");
  resource.behavior = behaviorOf(textAt(generator, "behavior"));
  return resource;
}

const membersOf = (value: YamlValue | undefined): Members => (isMembers(value) ? value : {});

const behaviorOf = (text: string): Behavior =>
  text === "create" || text === "merge" || text === "replace" ? text : "";

function pairs(generator: Members, kind: string, folder: KustomizationFolder): Map<string, Buffer> {
  const name = textAt(generator, "name");
  if (name === "") throw new CtlError(`${folder.path}: a ${kind} must have a name`);
  const found = new Map<string, Buffer>();
  const add = (key: string, value: Buffer) => {
    if (found.has(key)) throw new CtlError(`${folder.path}: ${kind} ${name} illegally repeats the key \`${key}\``);
    found.set(key, value);
  };
  for (const file of textsIn(generator, "envs"))
    for (const [key, value] of environmentOf(read(folder, file, "env source files"), folder.pathOf(file)))
      add(key, value);
  for (const literal of textsIn(generator, "literals")) {
    const equals = literal.indexOf("=");
    if (equals <= 0)
      throw new CtlError(
        `${folder.path}: loading KV pairs: literal sources [${literal}]: invalid literal source ${literal}, expected key=value`,
      );
    add(literal.slice(0, equals), Buffer.from(unquoted(literal.slice(equals + 1))));
  }
  for (const file of textsIn(generator, "files")) {
    const [key, path] = fileOf(file, folder);
    add(key, read(folder, path, "file sources"));
  }
  return found;
}

/** Without the quotes around it. */
function unquoted(text: string): string {
  return /^(["'])([\s\S]*)\1$/.exec(text)?.[2] ?? text;
}

function fileOf(source: string, folder: KustomizationFolder): [key: string, path: string] {
  const [key = "", path, ...others] = source.split("=");
  const refuse = (problem: string) =>
    new CtlError(`${folder.path}: loading KV pairs: file sources: [${source}]: ${problem}`);
  if (others.length > 0) throw refuse("key names or file paths cannot contain '='");
  if (path === undefined) return [basename(source), source];
  if (key === "") throw refuse(`missing key name for file path "${path}" in file sources`);
  if (path === "") throw refuse(`missing file path for key name "${key}"`);
  return [key, path];
}

/** Lines of NAME=value; a name without a value takes it from nowhere. */
function environmentOf(content: Buffer, source: string): [string, Buffer][] {
  return content
    .toString("utf8")
    .replace(/^\uFEFF/, "")
    .split("\n")
    .map((line) => line.replace(/\r$/, "").trimStart())
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const equals = line.indexOf("=");
      const key = equals < 0 ? line : line.slice(0, equals);
      if (key === "") throw new CtlError(`${source}: "${line}" is not a valid key name`);
      return [key, Buffer.from(equals < 0 ? "" : line.slice(equals + 1))];
    });
}

function read(folder: KustomizationFolder, path: string, sources: string): Buffer {
  try {
    return folder.read(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CtlError(`loading KV pairs: ${sources}: [${path}]: ${reason}`, { cause: error });
  }
}
