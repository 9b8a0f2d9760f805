/** The formats of texts that are checked; all others have no effect. Names are looked up without their dashes. */

import { parseDuration } from "../../base/duration.ts";
import { onFirstUse } from "../../base/first-use.ts";
import { parseUrlParts } from "../../base/url-parts.ts";
import { cidrVersion, ipVersion, isDns1123Label, isDns1123Subdomain } from "../meta/names.ts";
import type { Feature } from "../schema/features.ts";
import { parseInstant } from "../values/time.ts";
import { isCardNumber, isIsbn } from "./check-digits.ts";

/** Longer texts have no format that is checked here. */
export const formatCharsMax = 64 * 1024;

const matches = (pattern: RegExp) => (text: string) => pattern.test(text);
/** A uuid of any version, or of one; since the fourth the variant counts too. */
const uuid = (version = "[0-9a-f]", variant = "[0-9a-f]") =>
  matches(new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?${variant}[0-9a-f]{3}-?[0-9a-f]{12}$`, "i"));
const part = "(?:0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])";

/** What the server has of what differs between releases. Absent: nothing, it is of 1.21. */
type Has = ((feature: Feature) => boolean) | undefined;

const checks: ReadonlyMap<string, (text: string, has: Has) => boolean> = new Map([
  ["bsonobjectid", matches(/^[0-9a-f]{24}$/i)],
  ["byte", matches(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/)],
  ["cidr", (text: string, has: Has) => cidrVersion(readAddress(text, has)) !== 0],
  ["creditcard", isCardNumber],
  ["date", isDate],
  ["datetime", isDateTime],
  ["duration", isDuration],
  ["email", isEmail],
  ["hexcolor", matches(/^#?(?:[0-9a-f]{3}|[0-9a-f]{6})$/i)],
  ["hostname", isHostname],
  ["ipv4", (text: string, has: Has) => ipVersion(readAddress(text, has)) !== 0 && text.includes(".")],
  ["ipv6", (text: string) => ipVersion(text) !== 0 && text.includes(":")],
  ["isbn", (text: string) => isIsbn(text, 10) || isIsbn(text, 13)],
  ["isbn10", (text: string) => isIsbn(text, 10)],
  ["isbn13", (text: string) => isIsbn(text, 13)],
  ["mac", isMac],
  ["rgbcolor", matches(new RegExp(`^rgb\\(\\s*${part}\\s*,\\s*${part}\\s*,\\s*${part}\\s*\\)$`))],
  ["ssn", (text: string) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text)],
  ["uri", isUri],
  ["uuid", uuid()],
  ["uuid3", uuid("3")],
  ["uuid4", uuid("4", "[89ab]")],
  ["uuid5", uuid("5", "[89ab]")],
]);

/** Formats that early releases do not check. */
const later: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["k8sshortname", (text: string) => isDns1123Label(text).length === 0],
  ["k8slongname", (text: string) => isDns1123Subdomain(text).length === 0],
]);

function checkOf(format: string, has: Has) {
  const name = format.replaceAll("-", "");
  const added = later.get(name);
  if (added !== undefined && has?.("nameFormats") === true) return added;
  return checks.get(name);
}

/** Whether values are checked against the format at all. "password" is known, and every text has it. */
export const isCheckedFormat = (format: string, has?: Has): boolean =>
  format === "password" || checkOf(format, has) !== undefined;

/** Whether the text has the format; every text has a format that is not checked. */
export function hasFormat(text: string, format: string, has?: Has): boolean {
  const check = checkOf(format, has);
  return check === undefined || (text.length <= formatCharsMax && check(text, has));
}

/** Since 1.22 an IPv4 address may have leading zeros, which change nothing. */
function readAddress(text: string, has: Has): string {
  return has?.("leadingZeros") === true && !text.includes(":") ? text.replace(/(^|\.)0+(?=\d)/g, "$1") : text;
}

function isDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && parseInstant(`${text}T00:00:00Z`) !== undefined;
}

/** A date, the letter T and a time with its zone; the hours of the zone are not checked. */
function isDateTime(text: string): boolean {
  const [date = "", time = ""] = text.toLowerCase().split("t");
  const found = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(?:.[0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})$/.exec(time);
  if (found === null || !isDate(date)) return false;
  const [, hours = "", minutes = "", seconds = ""] = found;
  return hours <= "23" && minutes <= "59" && seconds <= "59";
}

/** Units that may be written in full, by the beginning of their long names. */
const units = /^(?:ns|us|\u00b5s|ms|s|m|h|hr|d|w|wk|nano.*|micro.*|milli.*|sec.*|min.*|hour.*|day.*|week.*)$/i;

/** "1h30m", or numbers and units between other words: "2 weeks", "1 day and 3 hours". */
function isDuration(text: string): boolean {
  if (parseDuration(text) !== undefined) return true;
  return [...text.matchAll(/\d+\s*([A-Za-z\u00b5]+)/g)].some(([, unit = ""]) => units.test(unit));
}

const word = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\u0080-\\uffff-]+";
const address = new RegExp(
  `^(?:${word}(?:\\.${word})*|"[^"\\\\\\r\\n]+")@(?:${word}(?:\\.${word})*|\\[[^\\]\\s]*\\])$`,
);

/** An address, or a name and an address in angle brackets. */
function isEmail(text: string): boolean {
  const open = text.lastIndexOf("<");
  if (open < 0) return address.test(text.trim());
  const name = text.slice(0, open).trim();
  const isName = /^[^"<>@,;:\\()[\]]*$/.test(name) || /^"[^"\\]*"$/.test(name);
  return text.trimEnd().endsWith(">") && isName && address.test(text.slice(open + 1, text.trimEnd().length - 1));
}

const letter = "a-zA-Z0-9\\p{S}\\p{L}";
/** One label with at most one dash, after its first character; or labels, of which the last consists of letters. */
const hostnameForm = `^(?:[${letter}](?:-?[${letter}]{0,62})?|(?:[${letter}](?:[${letter}\\-]{0,61}[${letter}])?\\.)+[a-zA-Z\\p{L}]{2,63})$`;
/** Made on first use: letters of all languages take a millisecond. */
const hostname = onFirstUse(() => new RegExp(hostnameForm, "u"));

function isHostname(text: string): boolean {
  if (Buffer.byteLength(text) > 255 || !hostname().test(text)) return false;
  return text.split(".").every((label) => Buffer.byteLength(label) <= 63);
}

/** An address of 6, 8 or 20 bytes: in pairs with colons or dashes, or in fours with dots. */
function isMac(text: string): boolean {
  const pairs = /^[0-9a-f]{2}(?::[0-9a-f]{2})+$|^[0-9a-f]{2}(?:-[0-9a-f]{2})+$/i.test(text);
  const fours = /^[0-9a-f]{4}(?:\.[0-9a-f]{4})+$/i.test(text);
  return (pairs || fours) && [12, 16, 40].includes(text.replace(/[:.-]/g, "").length);
}

/** A request target: a URL with a scheme, or a path from the root. */
function isUri(text: string): boolean {
  const url = parseUrlParts(text);
  return text === "*" || (url !== undefined && (url.scheme !== "" || text.startsWith("/")));
}
