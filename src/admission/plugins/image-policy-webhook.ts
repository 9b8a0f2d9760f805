/** Calls a service that decides whether the images of a pod may run. */

import { EphemeralContainers } from "../../api/core/v1/pod/ephemeral-containers.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import type { AdmissionRequest } from "../../registry/contract/admission.ts";
import { type AdmissionContext, lookUp, refuse } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { createAskBackend, type ImageReviewSpec, type ImageReviewStatus } from "../image-policy/ask-backend.ts";
import { readImagePolicy } from "../image-policy/configuration.ts";
import { on, plugin, under } from "../on.ts";

export function createImagePolicyWebhook(context: AdmissionContext): AdmissionPlugin {
  const { catalog, clock, log } = context;
  const { vocabulary } = catalog.environment;
  const given = context.configuration("ImagePolicyWebhook");
  if (given === undefined) {
    throw new Error(
      "admission plugin ImagePolicyWebhook requires a configuration; name it with --admission-control-config-file",
    );
  }
  const policy = readImagePolicy(given, vocabulary);
  const ask = createAskBackend(policy, `${vocabulary.group("imagepolicy.orch.io")}/v1alpha1`, clock);
  const infix = vocabulary.word(".image-policy.orch.io/");
  const auditPrefix = vocabulary.word("imagepolicywebhook.image-policy.orch.io/");
  const review = async (request: AdmissionRequest, pod: Pod): Promise<void> => {
    let status: ImageReviewStatus;
    const stepBack = request.releaseSeat();
    try {
      status = await ask(specOf(request, pod, infix), request.signal);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log.warn("image policy service failed", { reason, allowed: policy.defaultAllow });
      if (!policy.defaultAllow) throw refuse(request, `the image policy service failed: ${reason}`);
      request.annotate(`${auditPrefix}failed-open`, "true");
      return;
    } finally {
      stepBack();
    }
    for (const [key, value] of Object.entries(status.auditAnnotations)) request.annotate(auditPrefix + key, value);
    if (status.allowed) return;
    const reason = status.reason === "" ? "" : `: ${status.reason}`;
    throw refuse(request, `one or more images were denied${reason}`);
  };
  return plugin("ImagePolicyWebhook", [
    on(Pod, ["CREATE", "UPDATE"], { validate: (request) => review(request, request.object) }),
    // v1.21 accepts images that are added in this way, which makes the plugin easy to bypass.
    on(under(Pod, "ephemeralcontainers", EphemeralContainers), "UPDATE", {
      async validate(request) {
        const { namespace, name, object } = request;
        const pod = await lookUp(context, catalog.of(Pod), { namespace, name }, request);
        if (pod?.spec === undefined) return;
        await review(request, { ...pod, spec: { ...pod.spec, ephemeralContainers: object.ephemeralContainers } });
      },
    }),
  ]);
}

/** Containers first, as v1.21 lists them. Annotations are passed on where their key has the infix. */
function specOf({ namespace }: AdmissionRequest, pod: Pod, infix: string): ImageReviewSpec {
  const { initContainers = [], containers = [], ephemeralContainers = [] } = pod.spec ?? {};
  const images = [...containers, ...initContainers, ...ephemeralContainers].map(({ image }) => ({
    ...(image === undefined ? {} : { image }),
  }));
  const annotations = Object.entries(pod.metadata.annotations ?? {}).filter(([key]) => key.includes(infix));
  return {
    containers: images,
    ...(annotations.length > 0 ? { annotations: Object.fromEntries(annotations.sort()) } : {}),
    namespace,
  };
}
