/** Checks of the user that a container runs as on Windows. */

import { type FieldErrors, invalid, noErrors } from "../../../../machinery/status/field-error.ts";

const credentialSpecBytesMax = 64 * 1024;
const userDomainBytesMax = 255;
const userBytesMax = 104;

export const validateCredentialSpec = (spec: string, path: string): FieldErrors =>
  fits(spec, credentialSpecBytesMax) ? noErrors : [invalid(path, "", `must have 1 to ${credentialSpecBytesMax} bytes`)];

export const windowsUserProblems = (user: string): readonly string[] =>
  isUserName(user) ? [] : ["must be a user name, optionally with a domain before it"];

const fits = (text: string, bytesMax: number) => text !== "" && Buffer.byteLength(text) <= bytesMax;

/** `USER` or `DOMAIN\\USER`. */
function isUserName(text: string): boolean {
  const parts = text.split("\\");
  if (parts.length > 2 || hasControlCharacter(text)) return false;
  const user = parts.at(-1) ?? "";
  if (parts.length === 2 && !isDomain(parts[0] ?? "")) return false;
  return fits(user, userBytesMax) && !/["/:;|=,+*?<>@[\]]/.test(user) && !/^[. ]+$/.test(user);
}

const dnsLabel = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$/;

/** As NetBIOS or as DNS has it. */
function isDomain(text: string): boolean {
  if (!fits(text, userDomainBytesMax)) return false;
  const isNetBios = /^[^/:*?"<>|.][^/:*?"<>|]{0,14}$/.test(text);
  return isNetBios || text.split(".").every((label) => dnsLabel.test(label));
}

const hasControlCharacter = (text: string) => [...text].some((character) => character < " " || character === "\u007f");
