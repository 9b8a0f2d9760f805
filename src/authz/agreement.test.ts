import { describe, expect, test } from "vitest";
import { createAbac } from "./abac.ts";
import { abacAllows, createRandom, rbacAllows, type World } from "./evaluator.suite.ts";
import {
  randomBinding,
  randomNamespace,
  randomPolicy,
  randomQuestion,
  randomRules,
  roleNames,
} from "./random-policies.suite.ts";
import { createRbac } from "./rbac.ts";
import { RbacIndex } from "./rbac-index.ts";
import type { SubjectNames } from "./subject-names.ts";

/** Requests checked with each authorizer; ORCH_ACCESS_QUESTIONS=1000000 for the long run. */
const questions = Number(process.env.ORCH_ACCESS_QUESTIONS ?? 40_000);
const seed = Number(process.env.ORCH_SEED ?? Math.floor(Math.random() * 2 ** 31));
const questionsPerWorld = 50;

describe(`the authorizers agree with an independent evaluator (ORCH_SEED=${seed})`, () => {
  for (const names of ["folded", "exact"] as const satisfies readonly SubjectNames[]) {
    test(`RBAC with ${names} names, while roles and bindings come and go`, async () => {
      const random = createRandom(seed + names.length);
      let allowed = 0;
      for (let asked = 0; asked < questions / 2; asked += questionsPerWorld) {
        const index = new RbacIndex(names);
        const world: World = { roles: new Map(), bindings: new Map() };
        const authorizer = createRbac(index);
        for (let step = 0; step < 30; step++) change(world, index, random);
        for (let step = 0; step < questionsPerWorld; step++) {
          if (random(5) === 0) change(world, index, random);
          const question = randomQuestion(random);
          const expected = rbacAllows(world, question, names);
          const decision = await authorizer.authorize(question);
          if ((decision.outcome === "allow") !== expected) {
            expect({ decision, question, world: [...world.roles, ...world.bindings] }).toBe(expected);
          }
          if (expected) allowed++;
        }
      }
      // Both answers are common, or the agreement would mean little.
      expect(allowed).toBeGreaterThan(questions / 2 / 25);
      expect(allowed).toBeLessThan(questions / 2);
    });
  }

  test("ABAC", async () => {
    const random = createRandom(seed);
    let allowed = 0;
    for (let asked = 0; asked < questions; asked += questionsPerWorld) {
      const policies = Array.from({ length: random(6) }, () => randomPolicy(random));
      const authorizer = createAbac(policies);
      for (let step = 0; step < questionsPerWorld; step++) {
        const question = randomQuestion(random);
        const expected = abacAllows(policies, question);
        const decision = await authorizer.authorize(question);
        if ((decision.outcome === "allow") !== expected) expect({ decision, question, policies }).toBe(expected);
        if (expected) allowed++;
      }
    }
    expect(allowed).toBeGreaterThan(questions / 100);
  });
});

function change(world: World, index: RbacIndex, random: (below: number) => number): void {
  const roleName = roleNames[random(roleNames.length)]!;
  const namespace = random(2) === 0 ? "" : randomNamespace(random);
  const dice = random(7);
  if (dice === 0) {
    world.roles.delete(`${namespace}/${roleName}`);
    index.deleteRole(namespace, roleName);
  } else if (dice < 3) {
    const rules = randomRules(random);
    world.roles.set(`${namespace}/${roleName}`, rules);
    index.setRole(namespace, roleName, rules);
  } else if (dice === 3) {
    const [key, binding] = [...world.bindings][random(world.bindings.size || 1)] ?? [];
    if (key === undefined || binding === undefined) return;
    world.bindings.delete(key);
    index.deleteBinding(binding.namespace, binding.name);
  } else {
    const binding = randomBinding(random, `b${random(12)}`);
    world.bindings.set(`${binding.namespace}/${binding.name}`, binding);
    index.setBinding(binding);
  }
}
