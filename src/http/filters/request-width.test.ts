import { expect, test } from "vitest";
import { parseRequestInfo } from "../request/request-info.ts";
import { questionCharsPerSeat, questionSeats, termsPerSeat, widthOf } from "./request-width.ts";

const terms = (count: number) => Array.from({ length: count }, (_, at) => `k${at}!=v`).join(",");
const selecting = (count: number) => `?labelSelector=${encodeURIComponent(terms(count))}`;
const pods = "/api/v1/namespaces/a/pods";

const rows: [why: string, method: string, target: string, width: number][] = [
  ["a list holds one seat", "GET", pods, 1],
  ["a list with a short selector holds one seat", "GET", `${pods}${selecting(termsPerSeat - 1)}`, 1],
  ["a list holds one more seat for so many terms", "GET", `${pods}${selecting(termsPerSeat)}`, 2],
  ["a list with 900 terms holds ten seats", "GET", `${pods}${selecting(900)}`, 10],
  ["a set is one term", "GET", `${pods}?labelSelector=a+in+(${"v,".repeat(2 * termsPerSeat)}v)`, 1],
  ["sets are several terms", "GET", `${pods}?labelSelector=${"a+in+(v,w),".repeat(termsPerSeat - 1)}b`, 2],
  [
    "terms of both selectors count together",
    "GET",
    `${pods}${selecting(termsPerSeat - 1)}&fieldSelector=spec.nodeName%3Dn`,
    2,
  ],
  ["the deletion of what a selector finds is as wide", "DELETE", `${pods}${selecting(termsPerSeat)}`, 2],
  ["a list with a question holds several seats", "GET", `${pods}?where=true`, questionSeats],
  [
    "a list with a long question holds more",
    "GET",
    `${pods}?where=${"a".repeat(2 * questionCharsPerSeat)}`,
    questionSeats + 2,
  ],
  ["so does a sorted list", "GET", `${pods}?orderBy=metadata.name&limit=1`, questionSeats],
  ["a get holds one seat whatever its query says", "GET", `${pods}/p${selecting(900)}`, 1],
];
for (const [why, method, target, width] of rows)
  test(why, () => expect(widthOf(parseRequestInfo(method, target))).toBe(width));
