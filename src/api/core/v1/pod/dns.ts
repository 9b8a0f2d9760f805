/** How the processes of a pod resolve names. */

import { isDns1123Subdomain } from "../../../../machinery/meta/names.ts";
import type { Static } from "../../../../machinery/schema/build.ts";
import { elided, list, optional, string, struct } from "../../../../machinery/schema/build.ts";
import type { Environment } from "../../../../machinery/schema/environment.ts";
import { each, type FieldErrors, invalid, noErrors } from "../../../../machinery/status/field-error.ts";

const nameserversMax = 3;
/** Until 1.28, and since. */
const searchesMax = { early: 6, late: 32 };
/** Until 1.28, and since. */
const searchesCharsMax = { early: 256, late: 2048 };
const tooMany = (max: number) => `must not have more than ${max} search paths`;
const shortTogether =
  (max: number) =>
  (searches: readonly string[], path: string): FieldErrors =>
    searches.join(" ").length > max ? [invalid(path, searches, `must not have more than ${max} characters`)] : noErrors;
const validateSearch = (name: string, path: string, { gates }: Environment): FieldErrors => {
  const isRelaxed = gates.enabled("RelaxedDNSSearchValidation");
  if (isRelaxed && name === ".") return noErrors;
  const text = name.replace(/\.$/, "");
  return each(isDns1123Subdomain(isRelaxed ? text.replaceAll("_", "0") : text), path, name);
};

const PodDNSConfigOption = struct("core.v1.PodDNSConfigOption", {
  name: elided(string()).at(1).required("must not be empty").reported("").doc("The name of the option; required."),
  value: optional(string()).at(2).doc("The value of the resolver option. Absent: the option has none."),
});

export const PodDNSConfig = struct("core.v1.PodDNSConfig", {
  nameservers: elided(list(string().named("ip")))
    .at(1)
    .max(nameserversMax, `must not have more than ${nameserversMax} nameservers`)
    .doc("IP addresses of name servers, added to those of dnsPolicy."),
  searches: elided(list(string().checked(validateSearch)))
    .at(2)
    .before("1.28", (searches) =>
      searches.max(searchesMax.early, tooMany(searchesMax.early)).checked(shortTogether(searchesCharsMax.early)),
    )
    .from("1.28", (searches) =>
      searches.max(searchesMax.late, tooMany(searchesMax.late)).checked(shortTogether(searchesCharsMax.late)),
    )
    .doc("Search domains, added to those of dnsPolicy."),
  options: elided(list(PodDNSConfigOption)).at(3).doc("Resolver options, merged with those of dnsPolicy."),
});
export type PodDNSConfig = Static<typeof PodDNSConfig>;
