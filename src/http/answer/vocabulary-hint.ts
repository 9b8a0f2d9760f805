/** Tells clients of Kubernetes why a server with neutral names refuses them: no message of theirs would lead there. */

import { newestLevel } from "../../machinery/schema/levels.ts";
import { noSuchPath, StatusError } from "../../machinery/status/status.ts";
import { isCompressed } from "../negotiation/content-type.ts";
import type { Call } from "../request/call.ts";
import type { ServerContext } from "../server/context.ts";
import { sendText } from "./respond.ts";

const hint = `this server speaks neutral names; start it with --like=kubernetes-${newestLevel} for kubectl and other existing clients`;

/** Names that only a client of the other vocabulary sends: its groups, and its protobuf. */
const foreignName = /[a-z.]\.k8s\.io\b|vnd\.kubernetes\.protobuf/;

const namesCharsMax = 1_000;

/** "": nothing that this refusal is about has a name of the other vocabulary. */
function vocabularyHint({ vocabulary }: ServerContext, { exchange }: Call, code: number, message: string): string {
  if (vocabulary.name !== "orch") return "";
  const subjects: Partial<Record<number, readonly (string | undefined)[]>> = {
    400: [message],
    404: [exchange.target],
    406: [exchange.header("accept"), exchange.header("content-type")],
    415: [exchange.header("content-type")],
  };
  const isForeign = subjects[code]?.some((text = "") => foreignName.test(text.slice(0, namesCharsMax)));
  return isForeign ? hint : "";
}

/** The text of v1.21 for a path that does not exist. Throws a Status with the hint, since clients do not show texts. */
export function pageNotFound(context: ServerContext, call: Call): void {
  if (vocabularyHint(context, call, 404, "") !== "") throw noSuchPath();
  sendText(call, 404, "404 page not found\n");
}

/** The refusal as this server's vocabulary words it: R17 gives a refused content type, but not its encoding, another code in each. */
export function spokenRefusal(context: ServerContext, call: Call, refusal: StatusError): StatusError {
  const { vocabulary } = context;
  const isType =
    refusal.reason === "UnsupportedMediaType" && vocabulary.name === "orch" && !isCompressed(call.exchange);
  const why = vocabularyHint(context, call, refusal.code, refusal.message);
  if (!isType && why === "") return refusal;
  const { details, cause } = refusal;
  return new StatusError(
    isType ? "NotAcceptable" : refusal.reason,
    why === "" ? refusal.message : `${refusal.message} (${why})`,
    { cause, ...(isType ? {} : { code: refusal.code }), ...(details === undefined ? {} : { details }) },
  );
}
