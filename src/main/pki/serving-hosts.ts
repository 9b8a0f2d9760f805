/** The names and addresses in the serving certificate that an API server makes for itself: every one that clients may connect by. */

import { parseIp } from "../../base/ip-address.ts";
import { vocabularyOf } from "../../vocabulary/by-name.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { servingHosts } from "../addresses.ts";
import { readServiceAddresses } from "../flags/read-services.ts";
import type { ApiServerFlags } from "../programs/apiserver.ts";
import type { ServiceRanges } from "../services.ts";

type HostFlags = Pick<
  ApiServerFlags,
  "bind-address" | "external-hostname" | "advertise-address" | "service-cluster-ip-range" | "vocabulary"
>;

export function apiServerHosts(flags: HostFlags): readonly string[] {
  const own = serviceHosts(vocabularyOf(flags.vocabulary), readServiceAddresses(flags));
  const given = [flags["external-hostname"], flags["advertise-address"]].filter(isHost);
  return [...new Set([...servingHosts(flags["bind-address"]), ...own, ...given])];
}

/** Pods and nodes that trust the authority of the cluster reach the server through its own service. */
export function serviceHosts({ word }: Vocabulary, [first]: ServiceRanges["addresses"]): readonly string[] {
  const name = word("orch");
  const names = [name, `${name}.default`, `${name}.default.svc`, `${name}.default.svc.cluster.local`];
  return first === undefined ? names : [...names, first.at(0)];
}

/** Whether it can be in a certificate. */
const isHost = (text: string) => parseIp(text) !== undefined || /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i.test(text);
