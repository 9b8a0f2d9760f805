/**
 * `cp`: copies files and folders from and to containers, as an archive that the container's own tar reads or writes.
 */

import { existsSync } from "node:fs";
import { basename, posix, resolve } from "node:path";
import { bool, type FlagValues } from "../../base/flags/flag.ts";
import { pack } from "../../base/tar/pack.ts";
import { archivePrefix } from "../../base/tar/place.ts";
import { unpack } from "../../base/tar/unpack.ts";
import { writeTar } from "../../base/tar/writer.ts";
import type { Ending } from "../../client/streams/remote-command.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { type FileSpec, parseFileSpec } from "../copy/file-spec.ts";
import { CtlError } from "../errors.ts";
import { type Json, text } from "../json.ts";
import { Passage } from "../streams/passage.ts";
import { chosenContainer, containerFlag, findPods, isCompleted } from "../streams/pods.ts";
import { type ProcessStreams, runRemote, throwEnding } from "../streams/process.ts";
import { execPath } from "./exec.ts";

const cpFlags = { ...containerFlag, "no-preserve": bool("In the container, do not keep owners and modes") };

type CpContext = Context<FlagValues<typeof cpFlags>>;

export const cp = command({
  name: "cp",
  summary: "Copy files and directories to and from containers",
  usage: "<file-spec-src> <file-spec-dest>",
  description: `A file-spec is [[NAMESPACE/]POD:]PATH. The container needs the program tar.
Links in an archive from a container are skipped, and so is everything outside the destination.`,
  examples: `ctl cp /tmp/foo shop/mypod:/tmp/bar
ctl cp shop/mypod:/tmp/foo /tmp/bar -c web`,
  flags: cpFlags,
  run,
});

async function run(context: CpContext): Promise<void> {
  const { args } = context;
  if (args.length < 2) throw new CtlError("source and destination are required");
  const [source, destination] = args.map(parseFileSpec) as [FileSpec, FileSpec];
  if (source.path === "" || destination.path === "") throw new CtlError("filepath can not be empty");
  if (source.pod !== "" && destination.pod !== "") {
    // A local file may have a colon in its name.
    if (!existsSync(resolve(context.environment.cwd, args[0]!)))
      throw new CtlError("one of src or dest must be a local file specification");
    return copyTo(context, args[0]!, destination);
  }
  if (source.pod !== "") return copyFrom(context, source, destination.path);
  if (destination.pod !== "") return copyTo(context, source.path, destination);
  throw new CtlError("one of src or dest must be a remote file specification");
}

/** The container in which the commands of a copy run. */
interface CopyContainer {
  readonly context: Context;
  readonly pod: Json;
  readonly container: string;
}

async function copyContainerOf(context: CpContext, { pod: name, namespace }: FileSpec): Promise<CopyContainer> {
  const { pods } = await findPods(context, {
    word: `pods/${name}`,
    purpose: "attach to",
    namespace: namespace || undefined,
  });
  const pod = pods[0]!;
  if (isCompleted(pod))
    throw new CtlError(
      `cannot exec into a container in a completed pod; current phase is ${text(pod, "status", "phase")}`,
    );
  const container = await chosenContainer(context, pod, context.flags.container);
  return { context, pod, container: text(container, "name") };
}

async function inContainer(
  { context, pod, container }: CopyContainer,
  words: readonly string[],
  streams: ProcessStreams,
  signal?: AbortSignal,
): Promise<Ending> {
  const hasStdin = streams.stdin !== undefined;
  const path = await execPath(context, pod, { container, words, hasStdin, isTerminal: false });
  return runRemote(context, { ...streams, command: "cp", path, isTerminal: false, terminal: undefined, signal });
}

async function copyTo(context: CpContext, path: string, spec: FileSpec): Promise<void> {
  const local = resolve(context.environment.cwd, path);
  if (!existsSync(local)) throw new CtlError(`${path} doesn't exist in local filesystem`);
  const place = await copyContainerOf(context, spec);
  const { stdout, stderr } = context.environment;
  const silent = { writeBytes: () => {}, drained: async () => {} };
  let target = spec.path.length > 1 ? spec.path.replace(/\/+$/, "") : spec.path;
  const probe = await inContainer(place, ["test", "-d", target], { stdin: undefined, stdout: silent, stderr: silent });
  if ("exitCode" in probe && probe.exitCode === 0) target = posix.join(target, basename(local));
  const warn = (message: string) => context.say(`warning: ${message}`);
  const words = [
    "tar",
    ...(context.flags["no-preserve"] ? ["--no-same-permissions", "--no-same-owner"] : []),
    "-xmf",
    "-",
  ];
  const failed = new AbortController();
  const archive = guarded(writeTar(pack(local, posix.basename(target), warn)), failed);
  const streams = { stdin: archive, stdout, stderr };
  const signal = AbortSignal.any([context.signal, failed.signal]);
  const folder = posix.dirname(target);
  await inContainer(place, [...words, "-C", folder], streams, signal).then(throwEnding, (error: unknown) => {
    throw failed.signal.aborted ? failed.signal.reason : error;
  });
}

/** A file that cannot be read ends the copy with its own error, not with that of the connection. */
async function* guarded(source: AsyncIterable<Uint8Array>, failed: AbortController): AsyncGenerator<Uint8Array> {
  try {
    yield* source;
  } catch (error) {
    failed.abort(error);
    throw error;
  }
}

async function copyFrom(context: CpContext, spec: FileSpec, path: string): Promise<void> {
  const place = await copyContainerOf(context, spec);
  const archive = new Passage();
  const stopped = new AbortController();
  const signal = AbortSignal.any([context.signal, stopped.signal]);
  const streams = { stdin: undefined, stdout: archive, stderr: context.environment.stderr };
  const reading = inContainer(place, ["tar", "cf", "-", spec.path], streams, signal);
  const ended = reading.then(
    () => archive.end(),
    (error: unknown) => archive.end(error),
  );
  let seen: { written: number; outside: number };
  try {
    seen = await unpack({
      archive,
      prefix: archivePrefix(spec.path),
      destination: resolve(context.environment.cwd, path),
      warn: (message) => context.say(`warning: ${message}`),
    });
  } finally {
    archive.end();
    stopped.abort();
    await ended;
  }
  throwEnding(await reading);
  if (seen.outside > 0)
    throw new CtlError(
      `the archive from ${spec.pod} is not the requested one: ${seen.outside} of its entries are outside ${path} and were skipped`,
    );
}
