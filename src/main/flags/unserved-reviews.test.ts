import { expect, test } from "vitest";
import { parseFlags } from "../../base/flags/parse.ts";
import { vocabularyOf } from "../../vocabulary/by-name.ts";
import { apiserverFlags } from "./apiserver-flags.ts";
import { createIsServed } from "./runtime-config.ts";
import { unservedReviews } from "./unserved-reviews.ts";

test("a webhook that is sent reviews which --runtime-config has switched off is a warning", () => {
  const warnings = (...args: string[]) => {
    const { values } = parseFlags(apiserverFlags, args);
    const isServed = createIsServed(values["runtime-config"], values["emulated-version"]);
    return unservedReviews(values, isServed, vocabularyOf(values.vocabulary));
  };
  const off = "--runtime-config=authentication.k8s.io/v1beta1=false,authorization.k8s.io/v1beta1=false";
  const files = ["--authentication-token-webhook-config-file=a", "--authorization-webhook-config-file=b"];
  const kubernetes = "--vocabulary=kubernetes";
  expect(warnings(...files, kubernetes)).toEqual([]);
  expect(warnings(off, kubernetes)).toEqual([]);
  expect(warnings(...files, off, kubernetes)).toEqual([
    expect.stringMatching(
      /^--authentication-token-webhook-version=v1beta1: .* authentication\.k8s\.io\/v1beta1, which --runtime-config has/,
    ),
    expect.stringMatching(
      /^--authorization-webhook-version=v1beta1: .* authorization\.k8s\.io\/v1beta1, which --runtime-config has/,
    ),
  ]);
  expect(warnings(files[0]!, off, kubernetes, "--authentication-token-webhook-version=v1")).toEqual([]);
  expect(warnings(...files, kubernetes, "--emulated-version=1.35")).toEqual([]);
});
