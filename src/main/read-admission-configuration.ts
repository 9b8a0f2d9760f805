/** Reads the file of --admission-control-config-file and the files that it names. */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import {
  noConfigurations,
  type PluginConfigurations,
  parseAdmissionConfiguration,
} from "../admission/configuration/admission-configuration.ts";
import { operatorFile } from "../admission/configuration/operator-file.ts";
import { admissionOrder } from "../admission/order.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";
import { describeReadProblem, readFlagFile, useFlagFile } from "./read-file.ts";

const flag = "admission-control-config-file";

export async function readAdmissionConfiguration(
  flags: { readonly [flag]: string },
  vocabulary: Vocabulary,
): Promise<PluginConfigurations> {
  const given = flags[flag];
  if (given === "") return noConfigurations;
  const path = resolve(given);
  const text = await readFlagFile(flag, path);
  return useFlagFile(flag, given, () =>
    parseAdmissionConfiguration(operatorFile(path, text, read), { vocabulary, isPlugin }),
  );
}

const isPlugin = (name: string): boolean => admissionOrder.some((place) => place.name === name);

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new Error(`cannot read ${path}: ${describeReadProblem(cause)}`, { cause });
  }
}
