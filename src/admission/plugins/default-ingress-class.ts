/** Gives ingresses that name no class the one that is the default. */

import type { Ingress } from "../../api/networking/v1/ingress.ts";
import { type AdmissionContext, isAbout } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { onlyDefaultClass } from "./default-class.ts";

const group = "networking.orch.io";
const marks = ["ingressclass.orch.io/is-default-class"];
/** How the class was named before there was a field. */
const classAnnotation = "orch.io/ingress.class";

export function createDefaultIngressClass(context: AdmissionContext): AdmissionPlugin {
  const annotation = context.catalog.environment.vocabulary.word(classAnnotation);
  return {
    name: "DefaultIngressClass",
    // An ingress of the older group "extensions" gets no class, as in v1.21.
    handles: (request) => request.operation === "CREATE" && isAbout(request, group, "ingresses"),
    mutate(request) {
      const ingress = request.object as unknown as Ingress; // told apart by `handles`
      if (ingress.spec?.ingressClassName !== undefined) return;
      if (Object.hasOwn(ingress.metadata.annotations ?? {}, annotation)) return;
      const name = onlyDefaultClass(context, request, { group, resource: "ingressclasses", marks });
      if (name !== undefined) ingress.spec = { ...ingress.spec, ingressClassName: name };
    },
  };
}
