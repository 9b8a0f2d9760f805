/** Description of a network policy: who may reach the selected pods, and whom they may reach. */

import { type Json, list, texts } from "../json.ts";
import { labelsAndAnnotations, names } from "./metadata.ts";
import { at, joined, phrase } from "./readers.ts";
import { each, field, ifThere, line, type Row, type Rows, section, when, within } from "./row.ts";
import { selector, selectorText } from "./selector.ts";

const peerRows: Rows = [
  ifThere("ipBlock", [
    section("IPBlock", [line(phrase`CIDR: ${"cidr"}`), line(phrase`Except: ${joined("except", ", ")}`)]),
  ]),
  ifThere("namespaceSelector", [line((one) => `NamespaceSelector: ${selectorText(one)}`)]),
  ifThere("podSelector", [line((one) => `PodSelector: ${selectorText(one)}`)]),
];

export const networkPolicy: Rows = [
  ...names,
  field(
    "Created on",
    at("metadata.creationTimestamp", (iso) => iso.replace("T", " ").replace("Z", " +0000 UTC")),
  ),
  ...labelsAndAnnotations,
  section("Spec", [
    within("spec", [
      line(
        phrase`PodSelector:     ${selector("podSelector", "<none> (Allowing the specific traffic to all pods in this namespace)")}`,
      ),
      ...direction("Ingress", { key: "ingress", peers: "from", word: "From", end: "source" }),
      ...direction("Egress", { key: "egress", peers: "to", word: "To", end: "destination" }),
      line(phrase`Policy Types: ${joined("policyTypes", ", ")}`),
    ]),
  ]),
];

interface Direction {
  readonly key: string;
  /** The member of a rule that lists the other side. */
  readonly peers: string;
  readonly word: string;
  readonly end: string;
}

function direction(type: string, { key, peers, word, end }: Direction): Rows {
  const isAffected = (spec: Json) => texts(spec, "policyTypes").includes(type);
  return [
    when((spec) => !isAffected(spec), [`Not affecting ${key} traffic`]),
    when(isAffected, [
      section(`Allowing ${key} traffic`, [
        unlessAny(key, `<none> (Selected pods are isolated for ${key} connectivity)`),
        each(key, [
          unlessAny("ports", "To Port: <any> (traffic allowed to all ports)"),
          each("ports", [line(phrase`To Port: ${"port"}/${"protocol"}`)]),
          unlessAny(peers, `${word}: <any> (traffic not restricted by ${end})`),
          each(peers, [section(word, peerRows)]),
        ]),
      ]),
    ]),
  ];
}

/** What is shown in place of an empty list. */
function unlessAny(path: string, shown: string): Row {
  return when((value) => list(value, path).length === 0, [shown]);
}
