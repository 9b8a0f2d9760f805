/** What is wrong with an object of a file: each problem with the file, the line and the object. */

import { StatusError } from "../../machinery/status/status.ts";
import type { Context } from "../context.ts";
import { CtlError, describeError, Errors, LocatedError, throwFailures, withMessage } from "../errors.ts";
import { kindOf, list, nameText, text } from "../json.ts";
import { type FieldPath, parseFieldPath } from "./field-lines.ts";
import { type Manifest, UnreadableManifest } from "./manifests.ts";

/** The error of one manifest, so that it is printed with its file and line; other errors, such as those of the network, stay. */
export function located(context: Context, manifest: Manifest | undefined, error: unknown): unknown {
  const isOfServer = error instanceof StatusError && error.reason !== "Unauthorized";
  if (manifest === undefined || !context.behaviour.locatesErrors) return error;
  if (!isOfServer && !(error instanceof CtlError) && !(error instanceof Errors)) return error;
  return new LocatedError(error, (told) => problemLines(manifest, told).join("\n"));
}

/** Calls back for each manifest that can be read; all failures are thrown together at the end. */
export async function forEachManifest(
  context: Context,
  manifests: readonly Manifest[],
  visit: (manifest: Manifest) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  for (const manifest of manifests) {
    try {
      if (manifest.problem !== undefined) throw manifest.problem;
      await visit(manifest);
    } catch (error) {
      if (context.signal.aborted) throw error;
      failures.push(located(context, manifest, error));
    }
  }
  throwFailures(failures);
}

/** "web.yaml:7: pod/web: …", one for each problem. */
export function problemLines(manifest: Manifest, error: unknown): string[] {
  const subject = kindOf(manifest.object) === "" ? "" : `${nameText(manifest.object)}: `;
  return (error instanceof Errors ? error.errors : [error])
    .flatMap(problemsIn)
    .map(({ message, path }) => `${whereOf(manifest, path)}: ${subject}${message}`);
}

/** "web.yaml:7"; what a kustomization builds has no lines. */
export function whereOf({ source, line, lineOf }: Manifest, path: FieldPath = []): string {
  return line === 0 ? source : `${source}:${lineOf === undefined ? line : lineOf(path)}`;
}

interface Problem {
  readonly message: string;
  /** The field that it is about; []: the whole object. */
  readonly path: FieldPath;
}

/** A refusal of the server may be about several fields. */
function problemsIn(error: unknown): Problem[] {
  if (error instanceof UnreadableManifest) return [{ message: error.reason, path: [] }];
  if (!(error instanceof StatusError)) return [problemOf(messageOf(error))];
  const misspelt = [...misspeltFields(error), ...unmergedFields(error)];
  if (misspelt.length > 0) return misspelt;
  const causes = error.reason === "Invalid" ? list(error.details, "causes") : [];
  if (causes.length === 0) return [problemOf(messageOf(error))];
  const { reason, code, details } = error;
  return causes.map((cause) => {
    const only = new StatusError(reason, error.message, { code, details: { ...details, causes: [cause] } });
    return { message: messageOf(only), path: parseFieldPath(text(cause, "field")) };
  });
}

function problemOf(message: string): Problem {
  const [, parent = "", key] =
    /^ValidationError\(\w+\.?([^)]*)\)(?:: unknown field "([^"]+)")?/.exec(message) ??
    / cannot be handled as an? \w+: ([^: ]+): /.exec(message) ??
    /typed patch object \([^)]*\): \.(\S+): /.exec(message) ??
    /no matches for (kind) /.exec(message) ??
    [];
  return { message, path: [...parseFieldPath(parent), ...(key === undefined ? [] : [key])] };
}

/** What a server says about unknown and repeated fields, all in one message. */
function misspeltFields(error: StatusError): Problem[] {
  const [, start, fields] = /^(.*strict decoding error: )(.*)$/s.exec(error.message) ?? [];
  if (start === undefined || fields === undefined) return [];
  return fields.split(/, (?=\w+ field ")/).map((one) => ({
    message: messageOf(withMessage(error, start + one)),
    path: parseFieldPath(/field "([^"]*)"/.exec(one)?.[1] ?? ""),
  }));
}

/** What a server that merges says about several fields, each in a line. */
function unmergedFields(error: StatusError): Problem[] {
  const [, start, lines] = /^(.*typed patch object \([^)]*\): )errors:\n(.*)$/s.exec(error.message) ?? [];
  if (start === undefined || lines === undefined) return [];
  return lines
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => problemOf(messageOf(withMessage(error, start + line.trim()))));
}

function messageOf(error: unknown): string {
  if (!(error instanceof StatusError || error instanceof CtlError)) return String(error);
  return describeError(error).replace(/^(error: |Error from server[^:]*: )/, "");
}
