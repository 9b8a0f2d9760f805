import { describe, expect, test } from "vitest";
import { one, problems } from "../pod.suite.ts";

describe("a user of Windows", () => {
  const isRefused = (runAsUserName: string) =>
    problems(one({ securityContext: { windowsOptions: { runAsUserName } } })).length > 0;
  test("has a name, and may have a domain before it", () => {
    const users = ["ContainerUser", "a b", "DOMAIN\\user", "a.example.com\\user", `${"d".repeat(63)}.com\\u`];
    expect(users.filter(isRefused)).toEqual([]);
  });
  test("has nothing else", () => {
    const users = ["", ". .", "a@b", "a/b", "a\tb", "\\user", ".d\\user", "DOMAIN\\", "d?\\user", "u".repeat(105)];
    expect(users.filter((user) => !isRefused(user))).toEqual([]);
    expect(isRefused(`${"d".repeat(16)}_\\u`)).toBe(true);
  });
});
