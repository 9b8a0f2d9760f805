/** Named formats of texts, and whether a text has one. */

import { hasFormat } from "../../machinery/json-schema/formats.ts";
import {
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  isQualifiedName,
} from "../../machinery/meta/names.ts";
import { formatPatternChars, patternFactor, traversalFactor } from "../cost/constants.ts";
import { one, scale } from "../cost/range.ts";
import { listOf, objectType, optionalOf, string } from "../types/types.ts";
import { sizeOf } from "../values/size.ts";
import { ArrayList, Opaque, Optional, type Value } from "../values/values.ts";
import { declare, type FunctionDeclaration, member, nominal, overload } from "./declaration.ts";

const formatType = objectType("NamedFormat");

interface FormatRule {
  readonly name: string;
  /** Characters of the pattern that costs are computed with. */
  readonly patternChars: number;
  problems(text: string): readonly string[];
}

class Format extends Opaque {
  readonly type = formatType;
  readonly rule: FormatRule;
  constructor(rule: FormatRule) {
    super();
    this.rule = rule;
  }
  equals(other: Value): boolean {
    return other instanceof Format && other.rule === this.rule;
  }
}

/** A prefix may end with a dash, since more follows; as in the reference, what is before the dash is not looked at. */
const asPrefix = (check: (text: string) => readonly string[]) => (text: string) =>
  check(text.endsWith("-") && text.length > 1 ? `${text.slice(0, -2)}a` : text);
const named = (format: string, problem: string) => (text: string) => (hasFormat(text, format) ? [] : [problem]);

const rules: readonly FormatRule[] = [
  { name: "dns1123Label", patternChars: 30, problems: isDns1123Label },
  { name: "dns1123Subdomain", patternChars: 60, problems: isDns1123Subdomain },
  { name: "dns1035Label", patternChars: 30, problems: isDns1035Label },
  { name: "qualifiedName", patternChars: 60, problems: isQualifiedName },
  { name: "dns1123LabelPrefix", patternChars: 30, problems: asPrefix(isDns1123Label) },
  { name: "dns1123SubdomainPrefix", patternChars: 60, problems: asPrefix(isDns1123Subdomain) },
  { name: "dns1035LabelPrefix", patternChars: 30, problems: asPrefix(isDns1035Label) },
  { name: "labelValue", patternChars: 40, problems: isLabelValue },
  { name: "uri", patternChars: 1103, problems: named("uri", "invalid URI") },
  { name: "uuid", patternChars: 70, problems: named("uuid", "does not match the UUID format") },
  { name: "byte", patternChars: 84, problems: named("byte", "invalid base64") },
  { name: "date", patternChars: 72, problems: named("date", "invalid date") },
  { name: "datetime", patternChars: 72, problems: named("datetime", "invalid datetime") },
];
const byName: ReadonlyMap<string, Format> = new Map(rules.map((rule) => [rule.name, new Format(rule)]));

export const formats: readonly FunctionDeclaration[] = [
  ...rules.map((rule) =>
    declare(
      `format.${rule.name}`,
      "1.31",
      overload([], formatType, () => byName.get(rule.name)!),
    ),
  ),
  declare(
    "format.named",
    "1.31",
    overload([string], optionalOf(formatType), ([name]) => new Optional(byName.get(name as string)), nominal),
  ),
  declare(
    "validate",
    "1.31",
    member(
      [formatType, string],
      optionalOf(listOf(string)),
      ([format, text]) => {
        const problems = (format as Format).rule.problems(text as string);
        return problems.length === 0 ? Optional.none : new Optional(new ArrayList(problems));
      },
      {
        cost: ([format, text]) =>
          Math.ceil((1 + sizeOf(text!)) * traversalFactor) *
          Math.ceil((format as Format).rule.patternChars * patternFactor),
        estimate: ({ args: [, text] }) => ({
          cost: scale(scale(text?.size ?? one, traversalFactor), formatPatternChars * patternFactor),
        }),
      },
    ),
  ),
];
