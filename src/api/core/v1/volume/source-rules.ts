/** Rules of fields that sources of volumes have in common. */

import { isDns1123Label, isDns1123Subdomain } from "../../../../machinery/meta/names.ts";
import type { Environment } from "../../../../machinery/schema/environment.ts";
import {
  type FieldErrors,
  invalid,
  noErrors,
  notSupported,
  ofEach,
  required,
  tooLong,
} from "../../../../machinery/status/field-error.ts";

export const lunMax = 255;
const iscsiNameCharsMax = 4096;
/** The names of volume and portal become one. */
export const initiatorCharsMax = 64;

interface Reference {
  readonly name?: string;
  readonly namespace?: string;
}

/** Each source declares whether its secret is in a namespace of its own. */
export const hasName = ({ name }: Reference, path: string): FieldErrors => (name ? [] : [required(`${path}.name`)]);
export const hasNameAndNamespace = (ref: Reference, path: string): FieldErrors => [
  ...hasName(ref, path),
  ...(ref.namespace ? [] : [required(`${path}.namespace`)]),
];

/** v1.21 reports invalid names of secrets under the path of the volume. */
export const validateDriverSecret = (ref: Reference): FieldErrors => [
  ...hasNameAndNamespace(ref, ""),
  ...labelProblems(ref.name, "../name"),
  ...labelProblems(ref.namespace, "../namespace"),
];

const labelProblems = (text: string | undefined, path: string): FieldErrors =>
  text ? isDns1123Label(text).map((problem) => invalid(path, text, problem)) : [];

export function validateInlineSecret(ref: Reference): FieldErrors {
  const { name } = ref;
  return name ? isDns1123Subdomain(name).map((problem) => invalid("../name", name, problem)) : hasName(ref, "");
}

const driverCharsMax = 63;

export const validateDriverName = (driver: string, path: string): FieldErrors => [
  ...(driver.length > driverCharsMax ? [tooLong(path, driver, driverCharsMax)] : []),
  ...isDns1123Subdomain(driver.toLowerCase()).map((problem) => invalid(path, driver, problem)),
];

/** One of three formats; the character after the first three is checked in the first format only. */
export function iscsiNameProblems(text: string): readonly string[] {
  const isName =
    text.length <= iscsiNameCharsMax &&
    (/^iqn(?:.*iqn)?\.\d{4}-\d{2}\.[a-zA-Z0-9.-]+:[^,;*&$|\s]+$/.test(text) ||
      /^eui.[a-zA-Z0-9]{16}$/.test(text) ||
      /^naa.[a-zA-Z0-9]{32}$/.test(text));
  return isName ? [] : ["must be valid format"];
}

export const hasLongInitiator = (
  source: { readonly initiatorName?: string; readonly targetPortal: string } | undefined,
  volume: string,
): boolean => source?.initiatorName !== undefined && `${volume}:${source.targetPortal}`.length > initiatorCharsMax;

export const validateFlexOptions = (
  options: Readonly<Record<string, string>>,
  path: string,
  environment: Environment,
): FieldErrors =>
  Object.keys(options)
    .filter((key) => isReserved(key, environment))
    .map((key) => invalid(`${path}[${key}]`, key, "the server's own names are reserved"));

/** Whether an option is in a domain of the product. */
function isReserved(option: string, { vocabulary }: Environment): boolean {
  const domain = `.${(option.includes("/") ? option.slice(0, option.indexOf("/")) : option).toLowerCase()}`;
  const ofGroups = vocabulary.group("storage.orch.io").slice("storage.".length);
  return [vocabulary.word("orch.io"), ofGroups].some((own) => domain.endsWith(`.${own}`));
}

/** A persistent volume has storage, and nothing else. */
export function validateCapacity(capacity: Readonly<Record<string, string>>, path: string): FieldErrors {
  const names = Object.keys(capacity);
  return names.length === 1 && names[0] === "storage" ? [] : [notSupported(path, capacity, ["storage"])];
}

interface FileSource {
  readonly items?: readonly { readonly path: string }[];
}

interface Projection {
  readonly secret?: FileSource;
  readonly downwardAPI?: FileSource;
  readonly configMap?: FileSource;
  readonly clusterTrustBundle?: { readonly path: string };
  readonly podCertificate?: CertificatePaths;
}

interface CertificatePaths {
  readonly credentialBundlePath?: string;
  readonly keyPath?: string;
  readonly certificateChainPath?: string;
}

/** Where a certificate and its key are written. */
export const certificatePaths = ({ credentialBundlePath, keyPath, certificateChainPath }: CertificatePaths): string[] =>
  [credentialBundlePath, keyPath, certificateChainPath].filter((path) => path !== undefined && path !== "") as string[];

function pathsOf({ secret, downwardAPI, configMap, clusterTrustBundle, podCertificate }: Projection): string[] {
  return [
    ...[secret, downwardAPI, configMap].flatMap((one) => (one?.items ?? []).map(({ path }) => path)),
    ...(clusterTrustBundle ? [clusterTrustBundle.path] : []),
    ...(podCertificate ? certificatePaths(podCertificate) : []),
  ];
}

/** No two sources of a volume may have a file of the same path. v1.21 reports it for the volume, and does not compare tokens. */
export function validateSourcePaths(sources: readonly Projection[]): FieldErrors {
  const paths = new Set<string>();
  return ofEach(sources, (source) =>
    ofEach(pathsOf(source), (path) => {
      if (path !== "" && paths.has(path)) return [invalid("..", path, "conflicting duplicate paths")];
      paths.add(path);
      return noErrors;
    }),
  );
}
