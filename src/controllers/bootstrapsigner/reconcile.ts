/** The signatures that cluster-info must carry: one detached JWS for each bootstrap token that may sign. */

import { createHmac } from "node:crypto";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import type { SigningToken } from "../parts/bootstrap-tokens/secrets.ts";
import { create, type Plan, update } from "../plan.ts";

const contentKey = "kubeconfig";
const signaturePrefix = "jws-kubeconfig-";

type Data = Readonly<Record<string, string>>;

export const clusterInfoName = "cluster-info";

/** Tools that set up a cluster write cluster-info themselves: only one that is still missing after this time is created here. */
export const clusterInfoGraceMs = 10_000;

/** A token, and the key of its signatures. */
interface SignerKey {
  readonly id: string;
  readonly key: string;
}

/** The whole token is the key at level 1.21. Later levels and clients with Kubernetes names verify with the secret alone. */
export const signingKey = (
  { id, secret }: SigningToken,
  { name }: Pick<Vocabulary, "name">,
  secretAlone: boolean,
): SignerKey => ({ id, key: secretAlone || name === "kubernetes" ? secret : `${id}.${secret}` });

interface ClusterInfoInput {
  readonly known: ConfigMap | undefined;
  readonly namespace: string;
  /** The content of a new one; undefined: none is created. */
  readonly clusterInfo: string | undefined;
  /** How long tokens have waited for it. */
  readonly missingMs: number;
  readonly tokens: readonly SignerKey[];
}

export function planClusterInfo(input: ClusterInfoInput): Plan | undefined {
  const { known, namespace, clusterInfo, missingMs, tokens } = input;
  if (known !== undefined) {
    const data = signClusterInfo(known.data, tokens);
    return data && { writes: [update(ConfigMap, { ...known, data: { ...data } }, { tolerates: ["NotFound"] })] };
  }
  if (clusterInfo === undefined || tokens.length === 0) return undefined;
  if (missingMs < clusterInfoGraceMs) return { reviewInMs: clusterInfoGraceMs - missingMs };
  const data = { ...signClusterInfo({ [contentKey]: clusterInfo }, tokens) };
  const metadata = { namespace, name: clusterInfoName };
  return { writes: [create(ConfigMap, { metadata, data }, { tolerates: ["AlreadyExists"] })] };
}

/** The desired data; undefined: there is nothing to sign, or nothing changes. */
export function signClusterInfo(data: Data | undefined, tokens: readonly SignerKey[]): Data | undefined {
  const content = data?.[contentKey];
  if (data === undefined || content === undefined) return undefined;
  const wanted = new Map(tokens.map((token) => [signaturePrefix + token.id, detachedSignature(content, token)]));
  const next: Record<string, string> = {};
  for (const [key, value] of Object.entries(data)) if (!key.startsWith(signaturePrefix)) next[key] = value;
  for (const [key, value] of wanted) next[key] = value;
  const isRight =
    Object.keys(next).length === Object.keys(data).length && [...wanted].every(([key, value]) => data[key] === value);
  return isRight ? undefined : next;
}

/** RFC 7515 with a detached payload: clients with the token have the content too. */
export function detachedSignature(content: string, { id, key }: SignerKey): string {
  const header = base64Url(JSON.stringify({ alg: "HS256", kid: id }));
  const signature = createHmac("sha256", key)
    .update(`${header}.${base64Url(content)}`)
    .digest("base64url");
  return `${header}..${signature}`;
}

const base64Url = (text: string) => Buffer.from(text, "utf8").toString("base64url");
