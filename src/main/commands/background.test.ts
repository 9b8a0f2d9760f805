import { expect, test } from "vitest";
import { reasonOf } from "./background.ts";

test("why a server in the background did not start is a sentence, not a line of JSON", () => {
  const rows = [
    ["orch: the port 6443 is in use", "the port 6443 is in use"],
    [
      '{"level":"error","time":"x","msg":"the store does not open","error":{"message":"no space"}}',
      "the store does not open: no space",
    ],
    ['{"level":"error","time":"x","msg":"stopping"}', "stopping"],
    ["{ not JSON", "{ not JSON"],
  ] as const;
  expect(rows.map(([line]) => reasonOf(line))).toEqual(rows.map(([, reason]) => reason));
});
