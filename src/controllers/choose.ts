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

/** Controllers that v1.21 or v1.35 has and this program does not, with the reason. */
export const absentControllers: Readonly<Record<string, string>> = {
  attachdetach: "attaching volumes needs an agent on the node",
  "cloud-node-lifecycle": "there are no cloud providers here",
  "device-taint-eviction": "the taints of devices are behind a gate that is off",
  "orch-apiserver-serving-clustertrustbundle-publisher": "cluster trust bundles are not served",
  "podcertificaterequest-cleaner": "certificate requests of pods are not served",
  route: "there are no cloud providers here",
  "selinux-warning": "labels of volumes are the business of nodes",
  service: "load balancers need a cloud provider",
};
