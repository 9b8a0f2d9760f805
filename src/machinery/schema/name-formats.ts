/** The forms of names that rules of fields refer to by a word. */

import {
  isCidr,
  isConfigMapKey,
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isEnvVarName,
  isFullyQualifiedName,
  isHttpHeaderName,
  isIp,
  isLabelValue,
  isPathSegmentName,
  isPortName,
  isQualifiedName,
} from "../meta/names.ts";
import { isAbsolutePath, isFilePath, isPathWithoutParents, isRelativePath } from "../meta/paths.ts";
import type { NameFormat } from "./rule.ts";

const formats: Readonly<Record<Exclude<NameFormat & string, "port">, (text: string) => readonly string[]>> = {
  label: isDns1123Label,
  label1035: isDns1035Label,
  subdomain: isDns1123Subdomain,
  qualified: isQualifiedName,
  fullyQualified: isFullyQualifiedName,
  pathSegment: isPathSegmentName,
  labelValue: isLabelValue,
  configKey: isConfigMapKey,
  envName: isEnvVarName,
  portName: isPortName,
  headerName: isHttpHeaderName,
  absolutePath: isAbsolutePath,
  relativePath: isRelativePath,
  filePath: isFilePath,
  pathWithoutParents: isPathWithoutParents,
  ip: isIp,
  cidr: isCidr,
};

const isPort = (value: number): readonly string[] =>
  value < 1 || value > 65535 ? ["must be between 1 and 65535, inclusive"] : [];

/** The check of a form: what is wrong with a name, as sentences. A port may also be given by its number. */
export function nameCheck(format: NameFormat): (value: unknown) => readonly string[] {
  if (format === "port") return (value) => (typeof value === "number" ? isPort(value) : isPortName(String(value)));
  const check = typeof format === "string" ? formats[format] : format;
  return (value) => check(typeof value === "string" ? value : String(value));
}
