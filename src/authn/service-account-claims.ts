/** The claims of service-account tokens, in the names of a vocabulary: bound tokens, and the older ones kept in Secrets. */

import type { Vocabulary } from "../vocabulary/vocabulary.ts";
import type { JwtClaims } from "./jwt.ts";

export interface ObjectName {
  readonly name: string;
  readonly uid: string;
}

export interface BoundClaims {
  readonly namespace: string;
  readonly account: ObjectName;
  readonly pod?: ObjectName | undefined;
  readonly secret?: ObjectName | undefined;
  /** The node that the token is bound to, or that of its pod; the uid is empty if that node was missing. */
  readonly node?: ObjectName | undefined;
}

export interface LegacyClaims {
  readonly namespace: string;
  readonly account: ObjectName;
  readonly secretName: string;
}

export interface ClaimNames {
  /** The claim that contains everything a bound token says about itself. */
  readonly bound: string;
  /** The issuer of all tokens that are kept in Secrets. */
  readonly legacyIssuer: string;
  readonly legacyNamespace: string;
  readonly legacySecret: string;
  readonly legacyAccount: string;
  readonly legacyUid: string;
  /** The uid of the workspace whose account it is. Absent from tokens of the root. */
  readonly workspace: string;
}

export function claimNames(vocabulary: Vocabulary): ClaimNames {
  const word = (text: string) => vocabulary.word(text);
  return {
    bound: word("orch.io"),
    legacyIssuer: word("orch/serviceaccount"),
    legacyNamespace: word("orch.io/serviceaccount/namespace"),
    legacySecret: word("orch.io/serviceaccount/secret.name"),
    legacyAccount: word("orch.io/serviceaccount/service-account.name"),
    legacyUid: word("orch.io/serviceaccount/service-account.uid"),
    workspace: word("tenancy.orch.io/workspace"),
  };
}

/** Undefined: something is missing or of another type. */
export function readBoundClaims(claims: JwtClaims, names: ClaimNames): BoundClaims | undefined {
  const own = objectAt(claims, names.bound);
  const namespace = textAt(own, "namespace");
  const account = nameAt(own, "serviceaccount");
  if (own === undefined || namespace === undefined || account === undefined) return undefined;
  const pod = nameAt(own, "pod");
  const secret = nameAt(own, "secret");
  if ((Object.hasOwn(own, "pod") && !pod) || (Object.hasOwn(own, "secret") && !secret)) return undefined;
  const node = nameAt(own, "node", false);
  if (Object.hasOwn(own, "node") && !node) return undefined;
  return { namespace, account, pod, secret, node };
}

export function readLegacyClaims(claims: JwtClaims, names: ClaimNames): LegacyClaims | undefined {
  const namespace = textAt(claims, names.legacyNamespace);
  const secretName = textAt(claims, names.legacySecret);
  const name = textAt(claims, names.legacyAccount);
  const uid = textAt(claims, names.legacyUid);
  if (!namespace || !secretName || !name || !uid) return undefined;
  return { namespace, account: { name, uid }, secretName };
}

/** The claims of a bound token, to be signed. */
export function writeBoundClaims(bound: BoundClaims, names: ClaimNames): Record<string, unknown> {
  return {
    [names.bound]: {
      namespace: bound.namespace,
      ...(bound.node ? { node: withoutEmptyUid(bound.node) } : {}),
      ...(bound.pod ? { pod: { ...bound.pod } } : {}),
      ...(bound.secret ? { secret: { ...bound.secret } } : {}),
      serviceaccount: { ...bound.account },
    },
  };
}

/** The claims of a token that is kept in a Secret: it never expires, so only deleting the Secret invalidates it. */
export function writeLegacyClaims(legacy: LegacyClaims, names: ClaimNames): Record<string, unknown> {
  return {
    [names.legacyNamespace]: legacy.namespace,
    [names.legacySecret]: legacy.secretName,
    [names.legacyAccount]: legacy.account.name,
    [names.legacyUid]: legacy.account.uid,
  };
}

/** Undefined: a token of the root. "": none that this server has made. */
export function workspaceIn(claims: JwtClaims, { workspace }: ClaimNames): string | undefined {
  if (!Object.hasOwn(claims, workspace)) return undefined;
  return textAt(claims, workspace) ?? "";
}

export const writeWorkspace = (workspace: string | undefined, names: ClaimNames): Record<string, unknown> =>
  workspace === undefined ? {} : { [names.workspace]: workspace };

function objectAt(claims: JwtClaims | undefined, key: string): JwtClaims | undefined {
  const value = claims !== undefined && Object.hasOwn(claims, key) ? claims[key] : undefined;
  // Read from JSON: an object that is not an array has only text keys.
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JwtClaims) : undefined;
}

function textAt(claims: JwtClaims | undefined, key: string): string | undefined {
  const value = claims !== undefined && Object.hasOwn(claims, key) ? claims[key] : undefined;
  return typeof value === "string" && value !== "" ? value : undefined;
}

const withoutEmptyUid = ({ name, uid }: ObjectName) => (uid === "" ? { name } : { name, uid });

function nameAt(claims: JwtClaims | undefined, key: string, needsUid = true): ObjectName | undefined {
  const inner = objectAt(claims, key);
  const name = textAt(inner, "name");
  const uid = textAt(inner, "uid") ?? (needsUid ? undefined : "");
  return name === undefined || uid === undefined ? undefined : { name, uid };
}
