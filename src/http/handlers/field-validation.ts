/** The option fieldValidation of writes: what happens to fields that the schema does not have, and to duplicates. */

import { decodeYamlAsync } from "../../machinery/codec/yaml.ts";
import { encodeJson } from "../../machinery/json/json.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import { strictProblems } from "../../machinery/schema/strict-fields.ts";
import { notSupported } from "../../machinery/status/field-error.ts";
import { badRequest } from "../../machinery/status/status.ts";
import type { Encoding } from "../negotiation/media.ts";
import type { Call } from "../request/call.ts";
import type { ServerContext } from "../server/context.ts";
import { type OptionsKind, throwInvalid } from "./options.ts";

const modes = ["Ignore", "Warn", "Strict"] as const;
type Mode = (typeof modes)[number];

/** Whether the server's level has the option; others ignore it, and drop unknown fields silently. */
export const hasFieldValidation = ({ catalog }: ServerContext): boolean => catalog.environment.since("1.25");

/** Throws 422 for a mode that does not exist. */
export function readFieldValidation({ info }: Call, kind: OptionsKind, metaGroup: string): Mode {
  const given = info.query.get("fieldValidation") ?? "";
  if (given === "") return "Warn";
  const mode = modes.find((each) => each === given);
  if (mode === undefined) throwInvalid(kind, metaGroup, [notSupported("fieldValidation", given, modes)]);
  return mode ?? "Warn";
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
  const problems = strictProblems(text, kind.codec.topology);
  if (problems.length === 0) return;
  if (mode === "Strict") throw badRequest(`strict decoding error: ${problems.join(", ")}`);
  for (const problem of problems) call.warn(problem);
}
