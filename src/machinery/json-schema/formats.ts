/** Formats of texts that are checked; all others say nothing. Names are looked up without their dashes. */

import { cidrVersion, ipVersion } from "../meta/names.ts";
import { parseDuration } from "../values/duration.ts";
import { parseInstant } from "../values/time.ts";

/** Longer texts have no format that is checked here. */
export const formatCharsMax = 64 * 1024;

const uuid = (version: string) =>
  new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$`, "i");
const anyUuid = uuid("[0-9a-f]");
const hostLabel = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;
const mac = /^(?:[0-9a-f]{2}([:-]))(?:[0-9a-f]{2}\1){4}[0-9a-f]{2}$/i;
const date = /^\d{4}-(\d{2})-(\d{2})$/;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const checks: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["ipv4", (text: string) => ipVersion(text) === 4],
  ["ipv6", (text: string) => ipVersion(text) === 6],
  ["cidr", (text: string) => cidrVersion(text) !== 0],
  ["mac", (text: string) => mac.test(text)],
  ["uuid", (text: string) => anyUuid.test(text)],
  ["uuid3", (text: string) => uuid("3").test(text)],
  ["uuid4", (text: string) => uuid("4").test(text)],
  ["uuid5", (text: string) => uuid("5").test(text)],
  ["byte", (text: string) => base64.test(text)],
  ["date", isDate],
  ["datetime", (text: string) => parseInstant(text) !== undefined],
  ["duration", (text: string) => parseDuration(text) !== undefined],
  [
    "hostname",
    (text: string) =>
      text.length <= 255 &&
      text
        .replace(/\.$/, "")
        .split(".")
        .every((part) => hostLabel.test(part)),
  ],
  ["email", isEmail],
  ["uri", isUri],
]);

/** Whether the text has the format; one that nobody checks, every text has. */
export function hasFormat(text: string, format: string): boolean {
  const check = checks.get(format.replaceAll("-", ""));
  return check === undefined || (text.length <= formatCharsMax && check(text));
}

function isDate(text: string): boolean {
  const match = date.exec(text);
  return match !== null && parseInstant(`${text}T00:00:00Z`) !== undefined;
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  return at > 0 && at < text.length - 1 && !/[\s<>]/.test(text);
}

function isUri(text: string): boolean {
  if (text.startsWith("/")) return !/\s/.test(text);
  return /^[a-z][a-z0-9+.-]*:[^\s]*$/i.test(text);
}
