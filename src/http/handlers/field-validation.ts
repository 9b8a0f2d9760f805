/** The option fieldValidation of writes: what happens to fields that the schema does not have, and to duplicates. */

import { atOnceBytesMax, run, type Steps, timeSliceFor } from "../../base/time-slice.ts";
import { decodeYamlAsync, isWithinYamlLimits, readJsonOfYaml } from "../../machinery/codec/yaml.ts";
import { yamlDuplicates } from "../../machinery/codec/yaml-duplicates.ts";
import { encodeJson, type ReadJson } from "../../machinery/json/json.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { isFaultless, knownTo, strictProblemsSteps } from "../../machinery/schema/strict-fields.ts";
import { type FieldErrors, noErrors, notSupported } from "../../machinery/status/field-error.ts";
import { badRequest } from "../../machinery/status/status.ts";
import type { Encoding } from "../negotiation/media.ts";
import type { Call } from "../request/call.ts";
import type { ServerContext } from "../server/context.ts";
import { decodeRead } from "./decode-body.ts";

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

/** Decodes a body. Warns about its problems, or refuses it. */
export async function decodeValidated(call: Call, mode: Mode, body: Body): Promise<ApiObject> {
  const { kind, encoding, bytes } = body;
  const { object, read } = await decodeRead(kind, encoding, bytes);
  if (mode !== "Ignore" && encoding !== "protobuf" && !isSurelyFaultless(body, read))
    await validateFields(call, mode, body);
  return object;
}

const isSurelyFaultless = ({ kind, bytes }: Body, read: ReadJson | undefined): boolean =>
  read !== undefined && isFaultless(read, knownTo(kind.codec), () => bytes.toString("utf8"));

async function validateFields(
  call: Call,
  mode: Exclude<Mode, "Ignore">,
  { kind, encoding, bytes }: Body,
): Promise<void> {
  const text = encoding === "yaml" ? encodeJson(await decodeYamlAsync(bytes)) : bytes.toString("utf8");
  const unknown = await stepped(strictProblemsSteps(text, knownTo(kind.codec)), bytes);
  const inOrder = kind.declaration.origin === "custom" ? asOfCustomKinds(unknown) : unknown;
  const prefix = `${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}: `;
  report(call, mode, [...(encoding === "yaml" ? await duplicatesIn(bytes) : []), ...inOrder], prefix);
}

/** Unknown fields of an applied configuration are refused elsewhere, whatever the mode. `read`: what was read of it, if it was read. */
export async function validateApplied(
  call: Call,
  mode: Mode,
  bytes: Buffer,
  read: ReadJson | undefined,
): Promise<void> {
  if (mode === "Ignore") return;
  const value = read ?? (bytes.length <= atOnceBytesMax ? readJsonOfYaml(bytes) : undefined);
  if (value !== undefined && isFaultless(value, undefined, () => bytes.toString("utf8"))) return;
  report(call, mode, await duplicatesIn(bytes));
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
