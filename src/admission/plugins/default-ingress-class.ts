/** Sets the default class of ingresses that name none. */

import { Ingress } from "../../api/networking/v1/ingress.ts";
import { IngressClass } from "../../api/networking/v1/ingress-class.ts";
import type { AdmissionContext } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { defaultClass } from "../default-class.ts";
import { on, plugin } from "../on.ts";

const classes = { kind: IngressClass, marks: ["ingressclass.orch.io/is-default-class"] };
/** How the class was named before there was a field. */
const classAnnotation = "orch.io/ingress.class";

export function createDefaultIngressClass(context: AdmissionContext): AdmissionPlugin {
  const annotation = context.catalog.environment.vocabulary.word(classAnnotation);
  return plugin("DefaultIngressClass", [
    // An ingress of the older group "extensions" gets no class, as in v1.21.
    on(Ingress, "CREATE", {
      mutate(request) {
        const ingress = request.object;
        if (ingress.spec?.ingressClassName !== undefined) return;
        if (Object.hasOwn(ingress.metadata.annotations ?? {}, annotation)) return;
        const name = defaultClass(context, request, classes);
        if (name !== undefined) ingress.spec = { ...ingress.spec, ingressClassName: name };
      },
    }),
  ]);
}
