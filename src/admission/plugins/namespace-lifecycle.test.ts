import { describe, expect, test } from "vitest";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { StatusError } from "../../machinery/status/status.ts";
import { createWorld, type RequestOptions } from "../admission.suite.ts";
import { createNamespaceLifecycle } from "./namespace-lifecycle.ts";

const namespace = (name: string, phase: string, hidden = false) => ({
  resource: "namespaces",
  object: { metadata: { name }, status: { phase } } as ApiObject,
  hidden,
});
const world = createWorld([
  namespace("live", "Active"),
  namespace("leaving", "Terminating"),
  namespace("new", "Active", true),
]);
const plugin = createNamespaceLifecycle(world.context);
const pod: ApiObject = { metadata: { name: "p" } };

/** The refusal in short; "admitted" when there is none. */
async function outcome(resource: string, options: RequestOptions): Promise<unknown> {
  try {
    await world.admit(plugin, resource, options);
    return "admitted";
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return { code: error.code, details: error.details };
  }
}

describe("NamespaceLifecycle", () => {
  test("accepts objects in an existing namespace", async () => {
    expect(await outcome("pods", { namespace: "live", object: pod })).toBe("admitted");
  });

  test("reads the store for a namespace that is not in the cache", async () => {
    expect(await outcome("pods", { namespace: "new", object: pod })).toBe("admitted");
  });

  test("answers 404 for a missing namespace, on create and on update", async () => {
    const refusal = { code: 404, details: { name: "nowhere", kind: "namespaces" } };
    expect(await outcome("pods", { namespace: "nowhere", object: pod })).toEqual(refusal);
    expect(await outcome("pods", { namespace: "nowhere", object: pod, operation: "UPDATE" })).toEqual(refusal);
  });

  test("refuses new objects in a terminating namespace, with a cause", async () => {
    expect(await outcome("leases", { namespace: "leaving", object: { metadata: { name: "l" } } })).toEqual({
      code: 403,
      details: {
        name: "l",
        group: "coordination.orch.io",
        kind: "leases",
        causes: [
          {
            reason: "NamespaceTerminating",
            message: "namespace leaving is being terminated",
            field: "metadata.namespace",
          },
        ],
      },
    });
  });

  test("lets existing objects of a terminating namespace be changed and deleted", async () => {
    expect(await outcome("pods", { namespace: "leaving", object: pod, operation: "UPDATE" })).toBe("admitted");
    expect(await outcome("pods", { namespace: "leaving", name: "p", operation: "DELETE" })).toBe("admitted");
  });

  for (const name of ["default", "orch-system", "orch-public"]) {
    test(`keeps ${name} from deletion`, async () => {
      expect(await outcome("namespaces", { name, operation: "DELETE" })).toEqual({
        code: 403,
        details: { name, kind: "namespaces" },
      });
    });
  }

  test("lets other namespaces be deleted, orch-node-lease too", async () => {
    expect(await outcome("namespaces", { name: "orch-node-lease", operation: "DELETE" })).toBe("admitted");
  });

  test("protects the namespaces of the server's own vocabulary", async () => {
    const other = createWorld([], "kubernetes");
    const refused = other.admit(createNamespaceLifecycle(other.context), "namespaces", {
      name: "kube-system",
      operation: "DELETE",
    });
    await expect(refused).rejects.toThrow(/may not be deleted/);
  });
});
