/** The controllers of a server inside another program: which ones run, and what they need to issue tokens and certificates. */

import { createPublicKey } from "node:crypto";
import { parseSigningKey, type SigningKey, type VerificationKey } from "../../authn/signing-keys.ts";
import { createTokenSigner } from "../../authn/token-signer.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { libraryControllers, unknownController } from "../../controllers/choose.ts";
import type { Controller } from "../../controllers/contract.ts";
import { withShortNames } from "../../controllers/names.ts";
import { builtInSigners } from "../../controllers/parts/certificates/signer-rules.ts";
import type { RunningControllers } from "../../controllers/run.ts";
import { defaultSettings } from "../../controllers/settings.ts";
import type { ServedParts } from "../../simulation/served-nodes.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { allControllers, type SimulationOptions, withNodes } from "../all-controllers.ts";
import { startOwnControllers } from "../controllers.ts";
import { issueTokenKey, type KeyPair } from "../pki/issue.ts";
import type { Server } from "../server.ts";

/** The controllers that `createServer({ controllers })` selects. Throws an Error when it names one that does not exist. */
export function chosenControllers(
  given: false | readonly string[] | undefined,
  simulation: SimulationOptions,
  served: ServedParts | undefined,
): readonly Controller[] {
  return withNodes(given === false ? [] : controllersNamed(given), simulation, served);
}

function controllersNamed(given: readonly string[] | undefined): readonly Controller[] {
  const known = allControllers.map(({ name }) => name);
  const names = withShortNames(given ?? [], known);
  const problem = unknownController(known, names);
  if (problem !== undefined) throw new Error(`controllers: ${problem}`);
  return allControllers.filter(({ name, offByDefault }) => {
    if (names.includes(`-${name}`)) return false;
    return names.includes(name) || libraryControllers.includes(name) || (names.includes("*") && offByDefault !== true);
  });
}

/** The key that signs service account tokens. */
export interface AccountKeys {
  readonly signing: SigningKey;
  readonly verification: readonly VerificationKey[];
}

/**
 * Made on first use: most tests never see a token, and making a key takes longer than making many objects. `older`: keys that signed
 * tokens which are stored already, and that sign no more.
 */
export function createAccountKeys(older?: () => AccountKeys): () => AccountKeys {
  let keys: AccountKeys | undefined;
  return () => {
    if (keys === undefined) {
      const signing = parseSigningKey(issueTokenKey());
      keys = {
        signing,
        verification: [{ ...signing, key: createPublicKey(signing.key) }, ...(older?.().verification ?? [])],
      };
    }
    return keys;
  };
}

interface LibraryControllersOptions {
  readonly server: Server;
  readonly controllers: readonly Controller[];
  readonly keys: () => AccountKeys;
  /** Made when a controller first needs it. */
  authority(): KeyPair;
  readonly vocabulary: Vocabulary;
  readonly clock: Clock;
  readonly log: Log;
  readonly random?: ((below: number) => number) | undefined;
  /** The uid of the workspace that they are for. Absent: for the root. */
  readonly workspace?: string | undefined;
}

export function startLibraryControllers(options: LibraryControllersOptions): RunningControllers {
  const { server, controllers, keys, vocabulary, clock, log, random, workspace } = options;
  const authority = options.authority();
  return startOwnControllers({
    server,
    controllers,
    settings: {
      ...defaultSettings,
      rootCa: authority.certificate,
      signAccountToken: createTokenSigner({ issuer: "", key: () => keys().signing, vocabulary, clock, workspace })
        .signLegacy,
      // Who approves requests in a workspace must not get a certificate that the root trusts.
      signers: new Map(workspace === undefined ? builtInSigners.map((signer) => [signer, authority]) : []),
    },
    clock,
    log,
    useAccounts: false,
    random,
  });
}
