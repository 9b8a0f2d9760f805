/** `auth whoami`: the user as which the server authenticates the caller. */

import { hasReason, isNotFound } from "../../../client/requests/refusals.ts";
import { StatusError } from "../../../machinery/status/status.ts";
import { command } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CtlError } from "../../errors.ts";
import { printFlags } from "../../flags/declared.ts";
import { type Json, object, text, texts } from "../../json.ts";
import { objectPrinter } from "../../output/formats.ts";
import { Columns } from "../../output/table.ts";
import { namedUser } from "../../server/named-user.ts";

export const whoAmI = command({
  name: "whoami",
  summary: "Check self subject attributes",
  usage: "",
  examples: "ctl auth whoami",
  flags: printFlags,
  async run(context) {
    const user = await userOf(context);
    const printer = objectPrinter(context);
    if (printer !== undefined) return context.printRaw(printer({ apiVersion: "v1", kind: "UserInfo", ...user }));
    const rows = [
      ["ATTRIBUTE", "VALUE"],
      ["Username", text(user, "username")],
      ...(texts(user, "groups").length === 0 ? [] : [["Groups", `[${texts(user, "groups").join(" ")}]`]]),
    ];
    for (const [key, values] of Object.entries(object(user, "extra")))
      rows.push([`Extra: ${key}`, `[${Array.isArray(values) ? values.join(" ") : ""}]`]);
    context.print(new Columns().format(rows));
  },
});

/** v1.21 has no review for this: the refusal of a request without any rights names the caller. */
export async function userOf(context: Context): Promise<Json> {
  const group = (await context.vocabulary()).group("authentication.orch.io");
  try {
    const answer = await context.session.json(`/apis/${group}/v1/selfsubjectreviews`, {
      method: "POST",
      body: { apiVersion: `${group}/v1`, kind: "SelfSubjectReview" },
    });
    return object(answer, "status", "userInfo");
  } catch (error) {
    if (!isNotFound(error) && !(error instanceof StatusError && [403, 405].includes(error.code))) throw error;
  }
  const access = context.environment.fetch === undefined ? context.session.connection.access : undefined;
  const named = access && namedUser(access);
  const token = access?.token?.();
  if (named !== undefined && (token === undefined || access?.impersonate !== undefined))
    return { username: named.name, ...(named.groups.length > 0 && { groups: named.groups }) };
  if (token !== undefined) {
    const answer = await context.session
      .json(`/apis/${group}/v1/tokenreviews`, {
        method: "POST",
        body: { apiVersion: `${group}/v1`, kind: "TokenReview", spec: { token } },
      })
      .catch(() => undefined);
    const user = object(answer, "status", "user");
    if (text(user, "username") !== "") return user;
  }
  try {
    await context.session.json("/whoami-is-not-a-path");
  } catch (error) {
    // The only place where such a server says the name.
    const name = hasReason(error, "Forbidden") ? /User "([^"]+)"/.exec(error.message)?.[1] : undefined;
    if (name !== undefined) return { username: name };
  }
  if (named !== undefined) return { username: named.name };
  throw new CtlError(
    "the server cannot say who you are: it does not serve selfsubjectreviews, and no request of yours is denied",
  );
}
