/** The option fieldValidation of writes: what happens to fields that the schema does not have, and to duplicates. */

import { run, type Steps, timeSliceFor } from "../../base/time-slice.ts";
import { decodeYamlAsync, isWithinYamlLimits } from "../../machinery/codec/yaml.ts";
import { yamlDuplicates } from "../../machinery/codec/yaml-duplicates.ts";
import { encodeJson } from "../../machinery/json/json.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import { knownTo, strictProblemsSteps } from "../../machinery/schema/strict-fields.ts";
import { type FieldErrors, noErrors, notSupported } from "../../machinery/status/field-error.ts";
import { badRequest } from "../../machinery/status/status.ts";
import type { Encoding } from "../negotiation/media.ts";
import type { Call } from "../request/call.ts";
import type { ServerContext } from "../server/context.ts";

const modes = ["Ignore", "Warn", "Strict"] as const;
type Mode = (typeof modes)[number];

/** What a request says about unknown fields. Levels without the option ignore it, and drop such fields silently. */
interface FieldValidationOption {
  readonly mode: Mode;
  /** A mode that does not exist. */
  readonly problems: FieldErrors;
}

export function readFieldValidation({ catalog }: ServerContext, { info }: Call): FieldValidationOption {
  const { has } = catalog.environment;
  if (!has("fieldValidationModes")) return { mode: "Ignore", problems: noErrors };
  const given = info.query.get("fieldValidation") ?? "";
  if (!has("fieldValidation") && (given === "" || modes.some((each) => each === given)))
    return { mode: "Ignore", problems: noErrors };
  const mode = given === "" ? "Warn" : modes.find((each) => each === given);
  if (mode !== undefined) return { mode, problems: noErrors };
  return { mode: "Warn", problems: [notSupported("fieldValidation", given, modes)] };
}

interface Body {
  readonly kind: BoundKind;
  readonly encoding: Encoding;
  readonly bytes: Buffer;
}

/** Warns about the problems of a body that has been decoded, or refuses it. */
export async function validateFields(call: Call, mode: Mode, { kind, encoding, bytes }: Body): Promise<void> {
  if (mode === "Ignore" || encoding === "protobuf") return;
  const text = encoding === "yaml" ? encodeJson(await decodeYamlAsync(bytes)) : bytes.toString("utf8");
  const unknown = await stepped(strictProblemsSteps(text, knownTo(kind.codec)), bytes);
  const inOrder = kind.declaration.origin === "custom" ? asOfCustomKinds(unknown) : unknown;
  const prefix = `${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}: `;
  report(call, mode, [...(encoding === "yaml" ? await duplicatesIn(bytes) : []), ...inOrder], prefix);
}

/** Unknown fields of an applied configuration are refused elsewhere, whatever the mode. */
export async function validateApplied(call: Call, mode: Mode, bytes: Buffer): Promise<void> {
  if (mode !== "Ignore") report(call, mode, await duplicatesIn(bytes));
}

/** Only JSON is larger than the parser of YAML may read. */
async function duplicatesIn(bytes: Buffer): Promise<readonly string[]> {
  const text = bytes.toString("utf8");
  if (isWithinYamlLimits(bytes)) return yamlDuplicates(text);
  return await stepped(strictProblemsSteps(text, undefined), bytes);
}

/** Others are served between the steps of a large body. */
function stepped<T>(steps: Steps<T>, { length }: Buffer): T | Promise<T> {
  return run(steps, timeSliceFor(length));
}

function report(call: Call, mode: Exclude<Mode, "Ignore">, problems: readonly string[], prefix = ""): void {
  if (problems.length === 0) return;
  if (mode === "Strict") throw badRequest(`${prefix}strict decoding error: ${problems.join(", ")}`);
  for (const problem of problems) call.warn(problem);
}

const inMetadata = /^unknown field "(?:.*\.)?metadata\.[^.]+"$/;

/** Custom objects are read, then pruned in the order of names, then their metadata is read. */
function asOfCustomKinds(problems: readonly string[]): readonly string[] {
  const rank = (problem: string) => (problem.startsWith("duplicate") ? 0 : inMetadata.test(problem) ? 2 : 1);
  const pruned = problems.filter((problem) => rank(problem) === 1).sort();
  return [
    ...problems.filter((problem) => rank(problem) === 0),
    ...pruned,
    ...problems.filter((each) => rank(each) === 2),
  ];
}
