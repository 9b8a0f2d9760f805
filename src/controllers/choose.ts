/** Which controllers run, by --controllers, and which of v1.21 and v1.35 there are not. */

import { didYouMean } from "../base/suggest.ts";
import type { Controller } from "./contract.ts";

/**
 * `names` as v1.21 reads them: "*" all that are on by default, "name" this one, "-name" not this one; the more specific entry wins.
 */
export function chooseControllers(all: readonly Controller[], names: readonly string[]): readonly Controller[] {
  const everything = names.includes("*");
  return all.filter(({ name, offByDefault }) => {
    if (names.includes(`-${name}`)) return false;
    return names.includes(name) || (everything && offByDefault !== true);
  });
}

/** What is wrong with the first of `names` that no controller has; undefined: nothing. */
export function unknownController(known: readonly string[], names: readonly string[]): string | undefined {
  const plain = names.map((name) => name.replace(/^-/, ""));
  const unknown = plain.find((name) => name !== "*" && !known.includes(name));
  if (unknown === undefined) return undefined;
  const near = didYouMean(unknown, known);
  return `there is no controller "${unknown}"${near || `; there are ${[...known].sort().join(", ")}`}`;
}

/** The controllers that complete the API itself: without them namespaces are never emptied, and pods have no account. */
export const libraryControllers: readonly string[] = [
  "namespace",
  "garbagecollector",
  "serviceaccount",
  "serviceaccount-token",
  "root-ca-cert-publisher",
  "clusterrole-aggregation",
  "resourcequota",
];

/** Controllers that releases have and this program does not, with the reason. docs/differences.md names each. */
export const absentControllers: Readonly<Record<string, string>> = {
  attachdetach: "attaching volumes needs an agent on the node",
  "cloud-node-lifecycle": "there are no cloud providers here",
  "device-taint-eviction": "pods are not evicted because of taints of devices",
  "orch-apiserver-serving-clustertrustbundle-publisher":
    "the certificates of the server are in the config maps of each namespace",
  "podcertificaterequest-cleaner": "certificate requests of pods stay until they are deleted",
  "podgroup-protection": "groups of pods are behind a gate that is off",
  resourcepoolstatusrequest: "the status of pools is behind a gate that is off",
  route: "there are no cloud providers here",
  "selinux-warning": "labels of volumes are the business of nodes",
  service: "load balancers need a cloud provider",
};
