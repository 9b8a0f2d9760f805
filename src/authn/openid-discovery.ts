/** The documents with which other services verify our service-account tokens. */

import type { VerificationKey } from "./signing-keys.ts";

const configurationPath = "/.well-known/openid-configuration";
const keySetPath = "/openid/v1/jwks";

interface DiscoveryOptions {
  /** --service-account-issuer. Discovery is served only if it is an https URL. */
  readonly issuer: string;
  /** --service-account-jwks-uri. Absent: keySetPath at `url`. */
  readonly keySetUri?: string;
  /** "https://api.example.com:6443": where clients reach this server. Known only when it listens. */
  readonly url: () => string;
  /** Called when a document is read. */
  readonly keys: () => readonly VerificationKey[];
}

interface DiscoveryDocument {
  readonly path: string;
  /** The media type of the answer, and the only one that a client may request by name. */
  readonly contentType: string;
  readonly cacheControl: string;
  body(): string;
}

/** Undefined: the issuer is not an https URL, so no client could use it for discovery. */
export function discoveryDocuments(options: DiscoveryOptions): readonly DiscoveryDocument[] | undefined {
  const { issuer, keySetUri, url, keys } = options;
  if (!isHttpsUrl(issuer)) return undefined;
  const configuration = () => ({
    issuer,
    jwks_uri: keySetUri || `${url()}${keySetPath}`,
    response_types_supported: ["id_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [...new Set(keys().map((key) => key.algorithm))].sort(),
  });
  const keySet = () => ({
    keys: keys().map(({ id, algorithm, key }) => {
      const { kty, ...rest } = key.export({ format: "jwk" });
      return { use: "sig", kty, kid: id, alg: algorithm, ...rest };
    }),
  });
  return [
    document(configurationPath, "application/json", configuration),
    document(keySetPath, "application/jwk-set+json", keySet),
  ];
}

function document(path: string, contentType: string, value: () => unknown): DiscoveryDocument {
  return { path, contentType, cacheControl: "public, max-age=3600", body: () => JSON.stringify(value()) };
}

function isHttpsUrl(text: string): boolean {
  return /^https:/i.test(text) && URL.canParse(text);
}
