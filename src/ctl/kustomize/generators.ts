/** ConfigMaps and Secrets that a kustomization generates from literals and files. */

import { basename } from "node:path";
import { CtlError } from "../errors.ts";
import { type Json, list, object, text, texts } from "../json.ts";
import type { Resource } from "./build.ts";
import type { KustomizationFolder } from "./folder.ts";

export function generate(spec: Json, folder: KustomizationFolder): Resource[] {
  const options = object(spec, "generatorOptions");
  return [
    ...list(spec, "configMapGenerator").map((one) => configMap(one, options, folder)),
    ...list(spec, "secretGenerator").map((one) => secret(one, options, folder)),
  ];
}

function configMap(generator: Json, defaults: Json, folder: KustomizationFolder): Resource {
  const data: Json = {};
  const binaryData: Json = {};
  for (const [key, value] of pairs(generator, folder)) {
    const decoded = value.toString("utf8");
    if (Buffer.from(decoded).equals(value)) data[key] = decoded;
    else binaryData[key] = value.toString("base64");
  }
  const content = {
    ...(Object.keys(data).length > 0 ? { data } : {}),
    ...(Object.keys(binaryData).length > 0 ? { binaryData } : {}),
  };
  return resource(generator, defaults, { apiVersion: "v1", ...content, kind: "ConfigMap" });
}

function secret(generator: Json, defaults: Json, folder: KustomizationFolder): Resource {
  const data: Json = {};
  for (const [key, value] of pairs(generator, folder)) data[key] = value.toString("base64");
  return resource(generator, defaults, {
    apiVersion: "v1",
    data,
    kind: "Secret",
    type: text(generator, "type") || "Opaque",
  });
}

function resource(generator: Json, defaults: Json, content: Json): Resource {
  const name = text(generator, "name");
  if (name === "") throw new CtlError(`a ${text(content, "kind")} generator needs a name`);
  const own = object(generator, "options");
  const labels = { ...object(defaults, "labels"), ...object(own, "labels") };
  const annotations = { ...object(defaults, "annotations"), ...object(own, "annotations") };
  const metadata = {
    ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
    ...(Object.keys(labels).length > 0 ? { labels } : {}),
    name,
    ...(text(generator, "namespace") === "" ? {} : { namespace: text(generator, "namespace") }),
  };
  const isPlain = (own["disableNameSuffixHash"] ?? defaults["disableNameSuffixHash"]) === true;
  return {
    object: {
      ...content,
      metadata,
      ...(own["immutable"] === true || defaults["immutable"] === true ? { immutable: true } : {}),
    },
    originalName: name,
    needsHash: !isPlain,
    behavior: text(generator, "behavior"),
  };
}

function pairs(generator: Json, folder: KustomizationFolder): [string, Buffer][] {
  const found: [string, Buffer][] = [];
  for (const literal of texts(generator, "literals")) {
    const at = literal.indexOf("=");
    if (at <= 0) throw new CtlError(`invalid literal source ${literal}, expected key=value`);
    found.push([literal.slice(0, at), Buffer.from(literal.slice(at + 1).replace(/^(["'])([\s\S]*)\1$/, "$2"))]);
  }
  for (const file of texts(generator, "files")) {
    const at = file.indexOf("=");
    const [key, path] = at < 0 ? [basename(file), file] : [file.slice(0, at), file.slice(at + 1)];
    found.push([key, read(folder, path)]);
  }
  for (const file of [...texts(generator, "envs"), ...[text(generator, "env")].filter((path) => path !== "")])
    for (const line of read(folder, file).toString("utf8").split("\n")) {
      if (line.trim() === "" || line.trimStart().startsWith("#")) continue;
      const at = line.indexOf("=");
      found.push(
        at < 0
          ? [line.trim(), Buffer.from("")]
          : [line.slice(0, at).trim(), Buffer.from(line.slice(at + 1).replace(/\r$/, ""))],
      );
    }
  return found;
}

function read(folder: KustomizationFolder, path: string): Buffer {
  try {
    return folder.read(path);
  } catch (error) {
    if (error instanceof CtlError) throw new CtlError(`loading KV pairs: file sources: [${path}]: ${error.message}`);
    throw new CtlError(
      `loading KV pairs: file sources: [${path}]: open ${folder.pathOf(path)}: no such file or directory`,
      { cause: error },
    );
  }
}
