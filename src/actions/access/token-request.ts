/** serviceaccounts/token: issues a token of a service account, bound to a pod, Secret or node if the request says so. */

import type { BoundObjectReference, TokenRequestSpec } from "../../api/authentication/v1/token-request.ts";
import { Node } from "../../api/core/v1/node.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { Secret } from "../../api/core/v1/secret.ts";
import type { BoundClaims, ObjectName } from "../../authn/service-account-claims.ts";
import type { TokenSigner } from "../../authn/token-signer.ts";
import { type BoundKind, type Catalog, isVersionOf } from "../../machinery/schema/catalog.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { type FieldError, invalid } from "../../machinery/status/field-error.ts";
import { badRequest, conflict, invalidObject } from "../../machinery/status/status.ts";
import { timeText } from "../../machinery/values/time.ts";
import type { ActionRequest, CreateAction } from "../../registry/contract/action.ts";

interface TokenRequestOptions {
  readonly signer: TokenSigner;
  readonly catalog: Catalog;
  /** The audiences of a token when the request does not name any. */
  readonly audiences: readonly string[];
  /** --service-account-max-token-expiration; 0: no limit but that of the format. */
  readonly lifetimeSecondsMax?: number;
}

const lifetimeSecondsDefault = 3600;
const lifetimeSecondsMin = 600;
const lifetimeSecondsLimit = 2 ** 32;

export function createTokenRequest(options: TokenRequestOptions): CreateAction {
  const { signer, catalog, audiences: defaultAudiences, lifetimeSecondsMax = 0 } = options;
  return {
    async complete(request) {
      if (!isIdentified(request)) return;
      const { metadata } = request.body;
      checkNameOf(request);
      metadata.uid ||= (await accountOf(request)).metadata.uid ?? "";
    },
    async create(request) {
      const spec = (request.body.spec ?? {}) as Partial<TokenRequestSpec>; // decoded by the declaration
      const asked = Number(spec.expirationSeconds ?? lifetimeSecondsDefault);
      if (!isIdentified(request)) checkLifetime(request, asked);
      checkNameOf(request);
      const account = await accountOf(request);
      if (isIdentified(request)) checkLifetime(request, asked);
      const bound = await bind(request, catalog, account, spec.boundObjectRef ?? undefined);
      const audiences = spec.audiences?.length ? spec.audiences : defaultAudiences;
      const lifetime = lifetimeSecondsMax > 0 ? Math.min(asked, lifetimeSecondsMax) : asked;
      const { token, expiresMs } = await signer.sign(bound, audiences, lifetime);
      const expirationTimestamp = timeText(expiresMs);
      return {
        code: 201,
        object: {
          ...request.body,
          spec: {
            audiences: [...audiences],
            boundObjectRef: spec.boundObjectRef ?? null,
            expirationSeconds: lifetime,
          },
          status: { token, expirationTimestamp },
        },
      };
    },
  };
}

/** A request has the name of its account, and is created now. */
const isNamedLikeAccount = ({ kind }: ActionRequest): boolean => kind.family.environment.has("namedTokenRequests");

/** A request has the uid of its account, and plugins that check it see it. */
const isIdentified = ({ kind }: ActionRequest): boolean => kind.family.environment.has("identifiedTokenRequests");

/** Throws if there is none, or not the one that the client means. */
async function accountOf(request: ActionRequest): Promise<ApiObject> {
  const account = (await request.registry.get(request.kind, request.ref)).object();
  checkUidOf(request, account);
  return account;
}

/** What errors of a token request are about. */
const subjectOf = ({ accepted }: ActionRequest) =>
  accepted === undefined ? { group: "", kind: "TokenRequest" } : { group: accepted.group, kind: accepted.kind };

function checkNameOf(request: ActionRequest): void {
  const { ref, body } = request;
  const { name } = body.metadata;
  if (!isNamedLikeAccount(request) || !name || name === ref.name) return;
  throw invalidObject(subjectOf(request), ref.name, [
    invalid("metadata.name", name, "must be the name of the service account, or empty"),
  ]);
}

/** A client that states the uid of an account wants no token of another one with the same name. */
function checkUidOf(request: ActionRequest, account: ApiObject): void {
  const { kind, ref, body } = request;
  const { uid } = body.metadata;
  if (!uid || uid === account.metadata.uid) return;
  if (!kind.family.environment.gates.enabled("TokenRequestServiceAccountUIDValidation")) return;
  throw conflict(subjectOf(request), ref.name, `the uid of the service account is not ${uid}`);
}

function withNameOfAccount(request: ActionRequest): ApiObject["metadata"] {
  const { kind, ref, body } = request;
  const { metadata } = body;
  if (!isNamedLikeAccount(request) || (metadata.name && metadata.name !== ref.name)) return metadata;
  return { ...metadata, ...ref, creationTimestamp: timeText(kind.family.environment.clock.now()) };
}

/** Defaults count as if the client had sent them, so they are filled in before other code, such as webhooks, reads the request. */
export function withDefaultLifetime(action: CreateAction): CreateAction {
  return {
    ...action,
    prepare(request) {
      const spec = (request.body.spec ?? {}) as Partial<TokenRequestSpec>; // decoded by the declaration
      const expirationSeconds = spec.expirationSeconds ?? lifetimeSecondsDefault;
      const metadata = withNameOfAccount(request);
      return { ...request, body: { ...request.body, metadata, spec: { ...spec, expirationSeconds } } };
    },
  };
}

function checkLifetime(request: ActionRequest, seconds: number): void {
  const errors = lifetimeErrors(seconds);
  if (errors.length > 0) throw invalidObject(subjectOf(request), "", errors);
}

function lifetimeErrors(seconds: number): FieldError[] {
  const path = "spec.expirationSeconds";
  if (seconds < lifetimeSecondsMin) return [invalid(path, seconds, `must be at least ${lifetimeSecondsMin} seconds`)];
  if (seconds > lifetimeSecondsLimit) return [invalid(path, seconds, "must be at most 2^32 seconds")];
  return [];
}

/** The claims of the token. Throws when the bound object is missing, has another uid, or runs as another account. */
async function bind(
  request: ActionRequest,
  catalog: Catalog,
  account: ApiObject,
  reference: BoundObjectReference | undefined,
): Promise<BoundClaims> {
  const { namespace, name } = request.ref;
  const claims = { namespace, account: { name, uid: account.metadata.uid ?? "" } };
  if (reference === undefined) return claims;
  const kind = boundKind(catalog, reference);
  const boundName = reference.name ?? "";
  if (boundName === "" && isVersionOf(kind, Node)) throw badRequest("the name of the bound object is missing");
  const place = kind.namespaced ? namespace : "";
  const object = (await request.registry.get(kind, { namespace: place, name: boundName })).object();
  if (isVersionOf(kind, Pod)) {
    const { serviceAccountName = "" } = (object.spec ?? {}) as { serviceAccountName?: string }; // a validated pod
    if (serviceAccountName !== name) {
      throw badRequest(`a token of service account "${name}" cannot be bound to a pod that runs as another`);
    }
  }
  const uid = object.metadata.uid ?? "";
  if (reference.uid && reference.uid !== uid) {
    throw conflict(
      { group: "", kind: kind.kind },
      reference.name ?? "",
      `the uid of the bound object is not ${reference.uid}; it may have been deleted and created again`,
    );
  }
  const named = { name: boundName, uid };
  if (isVersionOf(kind, Node)) return { ...claims, node: named };
  if (!isVersionOf(kind, Pod)) return { ...claims, secret: named };
  const node = catalog.environment.has("tokensOfNodes") ? nodeOf(object, request, catalog) : undefined;
  return { ...claims, pod: named, ...(node === undefined ? {} : { node }) };
}

/** The node of a pod; its uid is empty if the node does not exist (any more). */
function nodeOf(pod: ApiObject, { registry }: ActionRequest, catalog: Catalog): ObjectName | undefined {
  const { nodeName: name = "" } = (pod.spec ?? {}) as { nodeName?: string }; // a validated pod
  if (name === "") return undefined;
  const node = registry.peek(catalog.of(Node), { namespace: "", name })?.object();
  return { name, uid: node?.metadata.uid ?? "" };
}

function boundKind(catalog: Catalog, { apiVersion = "", kind = "" }: BoundObjectReference): BoundKind {
  if (kind === "Pod" && !apiVersion.includes("/")) return catalog.of(Pod);
  if (kind === "Secret" && !apiVersion.includes("/")) return catalog.of(Secret);
  if (kind === "Node" && !apiVersion.includes("/") && catalog.environment.has("tokensOfNodes")) return catalog.of(Node);
  throw badRequest(`a token cannot be bound to an object of kind "${kind}"`);
}
