/** The keys of service-account tokens: reads them, gives them ids, and says which algorithm each one uses. */

import { createHash, createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from "node:crypto";

/** One key that tokens may be verified with. */
export interface VerificationKey {
  /** The digest of the public key: the `kid` of the tokens that it has signed. */
  readonly id: string;
  readonly algorithm: SigningAlgorithm;
  readonly key: KeyObject;
}
export interface SigningKey extends VerificationKey {
  /** The private key. */
  readonly key: KeyObject;
}

type SigningAlgorithm = "RS256" | "ES256" | "ES384" | "ES512";

/** Public or private keys and certificates of a PEM file, as public keys. Throws an Error if the file has none. */
export function parseVerificationKeys(pem: string): VerificationKey[] {
  const blocks = pem.match(/-----BEGIN ([A-Z0-9 ]+)-----[^-]+-----END \1-----/g) ?? [];
  const keys = blocks
    .filter((block) => !block.includes("PARAMETERS"))
    .map((block) => verificationKey(publicKeyOf(block)));
  if (keys.length === 0) throw new Error("the file has no RSA or EC key");
  return keys;
}

/** The one private key of a PEM file. */
export function parseSigningKey(pem: string): SigningKey {
  const key = createPrivateKey(pem);
  return { ...verificationKey(createPublicKey(key)), key };
}

function publicKeyOf(block: string): KeyObject {
  if (block.includes("BEGIN CERTIFICATE")) return new X509Certificate(block).publicKey;
  return block.includes("PRIVATE KEY") ? createPublicKey(createPrivateKey(block)) : createPublicKey(block);
}

function verificationKey(key: KeyObject): VerificationKey {
  const der = key.export({ type: "spki", format: "der" });
  return { id: createHash("sha256").update(der).digest("base64url"), algorithm: algorithmOf(key), key };
}

function algorithmOf(key: KeyObject): SigningAlgorithm {
  if (key.asymmetricKeyType === "rsa") return "RS256";
  switch (key.asymmetricKeyDetails?.namedCurve) {
    case "prime256v1":
      return "ES256";
    case "secp384r1":
      return "ES384";
    case "secp521r1":
      return "ES512";
    default:
      throw new Error(`a key of type ${key.asymmetricKeyType} cannot sign tokens; use RSA or EC`);
  }
}
