/** What has been built so far: resources, the fields that transformers change, and variables. */

import { CtlError } from "../errors.ts";
import { ResourceList } from "./resource-list.ts";
import { emptyConfig, mergeConfigs, type TransformerConfig } from "./transformer-config.ts";
import type { Members } from "./value.ts";

export class Accumulation {
  readonly list = new ResourceList();
  config: TransformerConfig = emptyConfig;
  /** By name. */
  readonly variables = new Map<string, Members>();

  addConfig(config: TransformerConfig): void {
    this.config = mergeConfigs(this.config, config);
  }

  /** Takes over everything that a base has. */
  absorb(base: Accumulation): void {
    this.list.appendAll(base.list.all);
    this.addConfig(base.config);
    for (const [name, variable] of base.variables) {
      if (this.variables.has(name)) throw new CtlError(`var '${name}' already encountered`);
      this.variables.set(name, variable);
    }
  }
}
