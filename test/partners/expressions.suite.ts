/** Random expressions: most of them have a type, and many fail when they are evaluated. */

import fc from "fast-check";

/** `$` is another expression. */
const templates = [
  "$ + $",
  "$ - $",
  "$ * $",
  "$ / $",
  "$ % $",
  "$ == $",
  "$ != $",
  "$ < $",
  "$ <= $",
  "$ > $",
  "$ in $",
  "!$",
  "($ && $)",
  "($ || $)",
  "($ ? $ : $)",
  "[$]",
  "[$, $]",
  "{'a': $}",
  "{1: $}",
  "{true: $}",
  "$.a",
  "$.p",
  "$.?a",
  "$.?p.q",
  "$.?zz.a",
  "$['a']",
  "$[$]",
  "$[?$]",
  "$[0]",
  "has($.a)",
  "has($.p.q)",
  "$.all(x, $)",
  "$.exists(x, $)",
  "$.exists_one(x, $)",
  "$.map(x, $)",
  "$.map(x, $, $)",
  "$.filter(x, $)",
  "$.all(k, v, $)",
  "$.exists(k, v, $)",
  "$.transformList(k, v, $)",
  "$.transformMap(k, v, $)",
  "$.optMap(x, $)",
  "$.orValue($)",
  "$.or($)",
  "$.hasValue()",
  "$.value()",
  "optional.of($)",
  "optional.none()",
  "size($)",
  "$.size()",
  "type($)",
  "dyn($)",
  "int($)",
  "string($)",
  "double($)",
  "bool($)",
  "$.contains($)",
  "$.startsWith($)",
  "$.matches('a.*')",
  "$.split(' ')",
  "$.join(',')",
  "$.lowerAscii()",
  "$.replace('a', $)",
  "$.indexOf($)",
  "$.substring(1)",
  "$.sum()",
  "$.min()",
  "$.isSorted()",
  "$.sort()",
  "$.distinct()",
  "$.reverse()",
  "$.slice(0, 1)",
  "lists.range(3)",
  "sets.contains($, $)",
  "ip($)",
  "isIP($)",
  "isCIDR($)",
  "isQuantity($)",
  "quantity('1Gi').isGreaterThan(quantity($))",
  "isSemver($)",
  "semver('1.2.3').isLessThan(semver($))",
  "isURL($)",
  "url($).getHost()",
  "format.dns1123Label().validate($).hasValue()",
  "'%s'.format([$])",
] as const;

const literals = [
  "0",
  "1",
  "-2",
  "7u",
  "1.5",
  "'a'",
  "'10.0.0.1'",
  "''",
  "b'a'",
  "true",
  "false",
  "null",
  "duration('1h')",
];
const locals = ["x", "k", "v"];

export function expressions(names: readonly string[]): fc.Arbitrary<string> {
  const leaf = fc.constantFrom(...names, ...names, ...literals, ...locals);
  const build = (depth: number): fc.Arbitrary<string> => {
    if (depth === 0) return leaf;
    const inner = fc.oneof(build(depth - 1), leaf);
    const filled = fc
      .tuple(fc.constantFrom(...templates), inner, inner, inner)
      .map(([template, ...parts]) => fill(template, parts));
    return fc.oneof({ weight: 3, arbitrary: filled }, { weight: 1, arbitrary: leaf });
  };
  return build(3);
}

/** Each part in brackets where an operator could tear it apart. */
function fill(template: string, parts: readonly string[]): string {
  let at = 0;
  return template.replaceAll("$", () => {
    const part = parts[at++ % parts.length]!;
    return / |^[-!]/.test(part) && !/^['"].*['"]$/.test(part) ? `(${part})` : part;
  });
}
