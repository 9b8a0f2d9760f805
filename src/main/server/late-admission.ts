/** The admission chain as the registry has it before there is one: the registry calls the chain, and its plugins call the registry. */

import { type Admission, type AdmissionRequest, admitAll } from "../../registry/contract/admission.ts";

/** Admits everything until `use` is called; nothing is written before that. */
export class LateAdmission implements Admission {
  #chain: Admission = admitAll;

  use(chain: Admission): void {
    this.#chain = chain;
  }

  mutate(request: AdmissionRequest): void | Promise<void> {
    return this.#chain.mutate(request);
  }

  validate(request: AdmissionRequest): void | Promise<void> {
    return this.#chain.validate(request);
  }
}
