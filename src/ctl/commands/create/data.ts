/** `create configmap` and `create secret`: data from files, folders, literals and environment files. */

import { createPrivateKey, X509Certificate } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { bool, type FlagValues, string, stringArray } from "../../../base/flags/flag.ts";
import { command } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CtlError } from "../../errors.ts";
import { ensure, type Json, nameOf } from "../../json.ts";
import { hashOf } from "../../kustomize/names.ts";
import { generator } from "./generator.ts";

const hashFlag = { "append-hash": bool("Add a hash of the content to the name") };

type HashContext = Context<FlagValues<typeof hashFlag>>;

const sourceFlags = {
  "from-file": stringArray("A file, a folder, or key=file"),
  "from-literal": stringArray("key=value"),
  "from-env-file": string("A file with lines of key=value"),
  ...hashFlag,
};

type SourceContext = Context<FlagValues<typeof sourceFlags>>;

function sourcesOf(context: SourceContext): Map<string, Buffer> {
  const { flags } = context;
  const data = new Map<string, Buffer>();
  const isSet = (name: "from-file" | "from-literal") => flags[name].length > 0;
  if (flags["from-env-file"] !== "" && (isSet("from-file") || isSet("from-literal")))
    throw new CtlError("from-env-file cannot be combined with from-file or from-literal");
  const add = (key: string, value: Buffer, what: string) => {
    if (!/^[-._a-zA-Z0-9]+$/.test(key))
      throw new CtlError(
        `"${key}" is not a valid key name for a ${what}: a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')`,
      );
    if (data.has(key))
      throw new CtlError(
        `cannot add key "${key}", another key by that name already exists in Data for ${what} "${context.args[0] ?? ""}"`,
      );
    data.set(key, value);
  };
  const what = context.path.includes("secret") ? "Secret" : "ConfigMap";
  for (const source of flags["from-file"]) for (const [key, value] of filesOf(context, source)) add(key, value, what);
  for (const literal of flags["from-literal"]) {
    const at = literal.indexOf("=");
    if (at <= 0) throw new CtlError(`invalid literal source ${literal}, expected key=value`);
    add(literal.slice(0, at), Buffer.from(literal.slice(at + 1)), what);
  }
  if (flags["from-env-file"] !== "")
    for (const line of read(context, flags["from-env-file"]).toString("utf8").split(/\r?\n/)) {
      const trimmed = line.trimStart();
      if (trimmed === "" || trimmed.startsWith("#")) continue;
      const at = trimmed.indexOf("=");
      const key = at < 0 ? trimmed : trimmed.slice(0, at);
      const value = at < 0 ? (context.environment.env[key] ?? "") : trimmed.slice(at + 1);
      if (!/^[-._a-zA-Z][-._a-zA-Z0-9]*$/.test(key))
        throw new CtlError(
          `"${key}" is not a valid key name: a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')`,
        );
      if (at >= 0 || context.environment.env[key] !== undefined) add(key, Buffer.from(value), what);
    }
  return data;
}

function filesOf(context: Context, source: string): [string, Buffer][] {
  const at = source.indexOf("=");
  if (at === 0) throw new CtlError(`key name for file path ${source.slice(1)} missing`);
  if (source.includes("=", at + 1) && at > 0) throw new CtlError("key names or file paths cannot contain '='");
  const [key, file] = at > 0 ? [source.slice(0, at), source.slice(at + 1)] : [undefined, source];
  const path = resolve(context.environment.cwd, file);
  let isFolder: boolean;
  try {
    isFolder = statSync(path).isDirectory();
  } catch (error) {
    throw new CtlError(`error reading ${file}: no such file or directory`, { cause: error });
  }
  if (isFolder && key !== undefined) throw new CtlError("cannot give a key name for a directory path.");
  if (!isFolder) return [[key ?? basename(file), read(context, file)]];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry): [string, Buffer] => [entry.name, readFileSync(join(path, entry.name))])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

function read(context: Context, path: string): Buffer {
  try {
    return readFileSync(resolve(context.environment.cwd, path));
  } catch (error) {
    throw new CtlError(`error reading ${path}: no such file or directory`, { cause: error });
  }
}

function readPem(context: Context, path: string): Buffer {
  try {
    return readFileSync(resolve(context.environment.cwd, path));
  } catch (error) {
    throw new CtlError(`Cannot read file ${path}, open ${path}: no such file or directory`, { cause: error });
  }
}

/** Throws unless the key belongs to the certificate. */
function requirePair(certificate: Buffer, key: Buffer): void {
  const refuse = (reason: string, cause?: unknown) => new CtlError(`failed to load key pair tls: ${reason}`, { cause });
  const hasPem = (value: Buffer) => /-----BEGIN [^-]+-----/.test(value.toString("latin1"));
  if (!hasPem(certificate)) throw refuse("failed to find any PEM data in certificate input");
  if (!hasPem(key)) throw refuse("failed to find any PEM data in key input");
  let isPair: boolean;
  try {
    isPair = new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
  } catch (error) {
    throw refuse("failed to parse the certificate or its key", error);
  }
  if (!isPair) throw refuse("private key does not match public key");
}

function withHash(context: HashContext, object: Json): Json {
  if (context.flags["append-hash"]) ensure(object, "metadata")["name"] = `${nameOf(object)}-${hashOf(object)}`;
  return object;
}

export const configMap = generator({
  name: "configmap",
  aliases: ["cm"],
  summary: "Create a config map from a local file, directory or literal value",
  usage: "NAME [--from-file=[key=]source] [--from-literal=key1=value1] [--dry-run=server|client|none]",
  examples: `ctl create configmap my-config --from-file=path/to/folder
ctl create configmap my-config --from-literal=key1=config1 --from-literal=key2=config2
ctl create configmap my-config --from-env-file=path/to/file.env`,
  flags: sourceFlags,
  isNamespaced: true,
  failure: "failed to create configmap: ",
  build(context, name) {
    const data: Json = {};
    const binaryData: Json = {};
    for (const [key, value] of sourcesOf(context)) {
      const decoded = value.toString("utf8");
      if (Buffer.from(decoded).equals(value)) data[key] = decoded;
      else binaryData[key] = value.toString("base64");
    }
    return withHash(context, {
      apiVersion: "v1",
      ...(Object.keys(data).length === 0 ? {} : { data }),
      ...(Object.keys(binaryData).length === 0 ? {} : { binaryData }),
      kind: "ConfigMap",
      metadata: { creationTimestamp: null, name },
    });
  },
});

const generic = generator({
  name: "generic",
  summary: "Create a secret from a local file, directory, or literal value",
  usage: "NAME [--type=string] [--from-file=[key=]source] [--from-literal=key1=value1]",
  examples: `ctl create secret generic my-secret --from-file=ssh-privatekey=path/to/id_rsa
ctl create secret generic my-secret --from-literal=key1=supersecret`,
  flags: { ...sourceFlags, type: string("The type of the secret") },
  isNamespaced: true,
  failure: "failed to create secret ",
  build: (context, name) => secretOf(context, name, sourcesOf(context), context.flags.type),
});

function secretOf(context: HashContext, name: string, values: ReadonlyMap<string, Buffer>, type: string): Json {
  const data = Object.fromEntries([...values].map(([key, value]) => [key, value.toString("base64")]));
  return withHash(context, {
    apiVersion: "v1",
    ...(values.size === 0 ? {} : { data }),
    kind: "Secret",
    metadata: { creationTimestamp: null, name },
    ...(type === "" ? {} : { type }),
  });
}

const tls = generator({
  name: "tls",
  summary: "Create a TLS secret",
  usage: "NAME --cert=path/to/cert/file --key=path/to/key/file",
  examples: `ctl create secret tls tls-secret --cert=path/to/tls.cert --key=path/to/tls.key`,
  flags: {
    cert: string("The certificate, in PEM"),
    key: string("Its key, in PEM"),
    ...hashFlag,
  },
  isNamespaced: true,
  failure: "failed to create secret ",
  async build(context, name) {
    const { flags } = context;
    if (flags.key === "" || flags.cert === "") throw new CtlError("key and cert must be specified");
    const [certificate, key] = [readPem(context, flags.cert), readPem(context, flags.key)];
    requirePair(certificate, key);
    const values = new Map([
      ["tls.crt", certificate],
      ["tls.key", key],
    ]);
    return secretOf(context, name, values, (await context.vocabulary()).word("orch.io/tls"));
  },
});

const dockerRegistry = generator({
  name: "docker-registry",
  summary: "Create a secret for use with a Docker registry",
  usage: "NAME --docker-username=user --docker-password=password --docker-email=email [--docker-server=string]",
  examples: `ctl create secret docker-registry my-secret --docker-username=USER --docker-password=PASSWORD --docker-email=EMAIL
ctl create secret docker-registry my-secret --from-file=.dockerconfigjson=path/to/.docker/config.json`,
  flags: {
    "docker-username": string("User name for the registry"),
    "docker-password": string("Password for the registry"),
    "docker-email": string("E-mail address for the registry"),
    "docker-server": string("Address of the registry", "https://index.docker.io/v1/"),
    "from-file": stringArray("A docker configuration"),
    ...hashFlag,
  },
  isNamespaced: true,
  failure: "failed to create secret ",
  async build(context, name) {
    const { flags } = context;
    const type = (await context.vocabulary()).word("orch.io/dockerconfigjson");
    const files = flags["from-file"].flatMap((source) => filesOf(context, source));
    if (files.length > 0)
      return secretOf(context, name, new Map(files.map(([, value]) => [".dockerconfigjson", value])), type);
    const { "docker-username": username, "docker-password": password } = flags;
    const { "docker-email": email, "docker-server": server } = flags;
    if (!username || !password || !server)
      throw new CtlError(
        "either --from-file or the combination of --docker-username, --docker-password and --docker-server is required",
      );
    const auth = Buffer.from(`${username}:${password}`).toString("base64");
    const config = { auths: { [server]: { username, password, ...(email ? { email } : {}), auth } } };
    return secretOf(context, name, new Map([[".dockerconfigjson", Buffer.from(JSON.stringify(config))]]), type);
  },
});

export const secret = command({
  name: "secret",
  summary: "Create a secret using specified subcommand",
  usage: "(docker-registry | generic | tls)",
  examples: `ctl create secret generic my-secret --from-literal=key1=supersecret
ctl create secret tls tls-secret --cert=path/to/tls.cert --key=path/to/tls.key`,
  subcommands: [dockerRegistry, generic, tls],
});
