/**
 * Checks for every type of name. Each function returns what is wrong, as sentences about the text; an empty list if
 * the text is valid. Lengths are checked first, so a hostile text costs no more than a short one.
 */

import { isIpv4, isIpv6 } from "../../base/ip-address.ts";

export const dns1123LabelCharsMax = 63;
export const dns1123SubdomainCharsMax = 253;
export const dns1035LabelCharsMax = 63;
export const qualifiedNameCharsMax = 63;
export const labelValueCharsMax = 63;
export const configMapKeyCharsMax = 253;
export const portNameCharsMax = 15;
/** For texts whose length v1.21 leaves open: header names, environment variables, path segments. */
export const openNameCharsMax = 64 * 1024;

type Problems = readonly string[];
const fine: Problems = [];

const label = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const label1035 = /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/;
const subdomain = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const qualifiedPart = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const configMapKey = /^[-._a-zA-Z0-9]+$/;
const envVarName = /^[-._a-zA-Z][-._a-zA-Z0-9]*$/;
const httpHeader = /^[-A-Za-z0-9]+$/;
const percent = /^[0-9]+%$/;

const emptyProblem = "must not be empty";
const lengthProblem = (max: number) => `must have at most ${max} characters`;
const labelProblem =
  "a DNS label consists of lower case letters, digits and '-', and begins and ends with a letter or digit";
const subdomainProblem =
  "a DNS subdomain consists of lower case letters, digits, '-' and '.', and its parts begin and end with a letter or digit";
const qualifiedProblem =
  "the name part consists of letters, digits, '-', '_' and '.', and begins and ends with a letter or digit";

function both(one: Problems, other: Problems): Problems {
  if (one.length === 0) return other;
  return other.length === 0 ? one : [...one, ...other];
}

function check(text: string, max: number, pattern: RegExp, problem: string): Problems {
  if (text.length > max) return [lengthProblem(max)];
  return pattern.test(text) ? fine : [problem];
}

/** "my-name", "123-abc". */
export function isDns1123Label(text: string): Problems {
  return check(text, dns1123LabelCharsMax, label, labelProblem);
}

/** "example.com". */
export function isDns1123Subdomain(text: string): Problems {
  return check(text, dns1123SubdomainCharsMax, subdomain, subdomainProblem);
}

/** A label that begins with a letter. */
export function isDns1035Label(text: string): Problems {
  return check(text, dns1035LabelCharsMax, label1035, `${labelProblem}; here it must begin with a letter`);
}

/** "*.example.com": one star in place of the first part. */
export function isWildcardDns1123Subdomain(text: string): Problems {
  if (text.length > dns1123SubdomainCharsMax) return [lengthProblem(dns1123SubdomainCharsMax)];
  return text.startsWith("*.") && subdomain.test(text.slice(2))
    ? fine
    : ["a wildcard begins with '*.' and a DNS subdomain follows"];
}

/** A DNS subdomain of at least `parts` parts; a domain name may end in one dot. */
export function isFullyQualifiedDomainName(text: string): Problems {
  if (text === "") return [emptyProblem];
  return inParts(text.endsWith(".") ? text.slice(0, -1) : text, 2);
}

export function isFullyQualifiedName(text: string): Problems {
  return text === "" ? [emptyProblem] : inParts(text, 3);
}

function inParts(text: string, parts: number): Problems {
  const problems = isDns1123Subdomain(text);
  if (problems.length > 0) return problems;
  return text.split(".").length >= parts ? fine : [`must have at least ${parts} parts with dots between`];
}

/** "name" or "example.com/name". */
export function isQualifiedName(text: string): Problems {
  const slash = text.indexOf("/");
  const name = text.slice(slash + 1);
  if (name.includes("/")) return ["a qualified name is a name, or a DNS subdomain, a '/' and a name"];
  return both(slash < 0 ? fine : prefixProblems(text.slice(0, slash)), namePartProblems(name));
}

function prefixProblems(prefix: string): Problems {
  if (prefix === "") return ["the prefix must not be empty"];
  const problems = isDns1123Subdomain(prefix);
  return problems.length === 0 ? fine : problems.map((problem) => `the prefix: ${problem}`);
}

function namePartProblems(name: string): Problems {
  if (name === "") return ["the name part must not be empty"];
  return check(name, qualifiedNameCharsMax, qualifiedPart, qualifiedProblem);
}

/** Empty, or like the name part of a qualified name. */
export function isLabelValue(text: string): Problems {
  return text === "" ? fine : check(text, labelValueCharsMax, qualifiedPart, qualifiedProblem);
}

/** "example.com/some/path". */
export function isDomainPrefixedPath(text: string): Problems {
  const slash = text.indexOf("/");
  if (text === "") return [emptyProblem];
  if (slash < 0 || slash === text.length - 1) return ["must be a domain, a '/' and a path"];
  const path = text.slice(slash + 1);
  if (path.length > openNameCharsMax) return [lengthProblem(openNameCharsMax)];
  return [
    ...isDns1123Subdomain(text.slice(0, slash)),
    ...(/^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(path)
      ? fine
      : ["the path has characters that are not allowed in a path"]),
  ];
}

/** Anything that can be one segment of a path. */
export function isPathSegmentName(text: string): Problems {
  if (text === "." || text === "..") return [`must not be '${text}'`];
  return isPathSegmentPrefix(text);
}

/** A prefix of a path segment. */
export function isPathSegmentPrefix(text: string): Problems {
  return ["/", "%"]
    .filter((character) => text.includes(character))
    .map((character) => `must not contain '${character}'`);
}

export function isConfigMapKey(text: string): Problems {
  const problems = check(
    text,
    configMapKeyCharsMax,
    configMapKey,
    "a key consists of letters, digits, '-', '_' and '.', and is not empty",
  );
  return both(problems, dotProblems(text));
}

export function isEnvVarName(text: string): Problems {
  const problems = check(
    text,
    openNameCharsMax,
    envVarName,
    "a variable consists of letters, digits, '_', '-' and '.', and does not begin with a digit",
  );
  return both(problems, dotProblems(text));
}

/** Names that would leave a folder. */
function dotProblems(text: string): Problems {
  if (text === ".") return ["must not be '.'"];
  return text.startsWith("..") ? ["must not begin with '..'"] : fine;
}

export function isHttpHeaderName(text: string): Problems {
  return check(text, openNameCharsMax, httpHeader, "a header consists of letters, digits and '-'");
}

/** "25%". */
export function isPercent(text: string): Problems {
  return check(text, openNameCharsMax, percent, "must be a number and '%'");
}

export function isPortNumber(port: number): Problems {
  return Number.isInteger(port) && port >= 1 && port <= 65535 ? fine : ["must be between 1 and 65535"];
}

/** The usual names of ports. */
const plainPortName = /^[a-z]+$/;

/** "http", "my-port-1". */
export function isPortName(text: string): Problems {
  if (text.length > portNameCharsMax) return [lengthProblem(portNameCharsMax)];
  if (plainPortName.test(text)) return fine;
  const problems: string[] = [];
  if (!/^[-a-z0-9]+$/.test(text)) problems.push("consists of lower case letters, digits and '-'");
  if (!/[a-z]/.test(text)) problems.push("must contain a letter");
  if (text.includes("--")) problems.push("must not contain two '-' in a row");
  if (text.startsWith("-") || text.endsWith("-")) problems.push("must not begin or end with '-'");
  return problems;
}

/** IPv4 or IPv6 in the form that all programs read the same way: no zones, no leading zeros, no shortened IPv4. */
export function isIp(text: string): Problems {
  return ipVersion(text) === 0 ? ["must be an IP address such as 10.9.8.7 or 2001:db8::ffff"] : fine;
}

/** 4, 6, or 0 for a text that is not an address. An IPv4 address written as IPv6 (::ffff:10.0.0.1) is 6. */
export function ipVersion(text: string): 4 | 6 | 0 {
  if (isIpv4(text)) return 4;
  return isIpv6(text) ? 6 : 0;
}

/** "10.0.0.0/8". */
export function isCidr(text: string): Problems {
  return cidrVersion(text) === 0 ? ["must be a range of addresses such as 10.9.8.0/24 or 2001:db8::/64"] : fine;
}

/** 4, 6, or 0 for a text that is not a range. */
export function cidrVersion(text: string): 4 | 6 | 0 {
  const slash = text.lastIndexOf("/");
  if (slash < 0 || slash > 64) return 0;
  const version = ipVersion(text.slice(0, slash));
  const bits = text.slice(slash + 1);
  if (version === 0 || !/^[0-9]{1,3}$/.test(bits)) return 0;
  return Number(bits) <= (version === 4 ? 32 : 128) ? version : 0;
}
