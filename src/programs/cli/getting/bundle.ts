/** A server that comes as a bundle (`.mcpb`). */
import * as Effect from "effect/Effect"
import { homedir } from "node:os"
import { bundleEntry, type Ground, questionsOf, unfit } from "../../../schemas/config/bundle/BundleLaunch.ts"
import { type BundleFailed, Bundles, type Opened, type Signature } from "../../../services/config/Bundles.ts"
import { clip } from "../../../schemas/content/Rendering.ts"
import { shown } from "../clients/shown.ts"
import { UsageError } from "../command.ts"
import { DESCRIPTION_MAX_CHARS, nameFrom } from "../../../schemas/config/registry/Listing.ts"
import type { Prepared } from "./prepared.ts"

const signatureWords = (signature: Signature): string => {
  switch (signature._tag) {
    case "Unsigned":
      return "not signed: nobody vouches for it"
    case "Invalid":
      return `wrong: ${signature.detail}`
    case "Signed": {
      const { isTrusted, issuer, signer } = signature
      if (isTrusted) return `signed by ${signer}, as ${issuer} certifies`
      const by =
        signer === issuer
          ? "nobody but itself certifies that name"
          : `${issuer} certifies that name, which this system does not trust`
      return `signed as ${signer}, but ${by}`
    }
  }
}

const aboutOf = ({ digest, manifest, signature }: Opened): ReadonlyArray<string> => [
  `${manifest.display_name ?? manifest.name} ${manifest.version}${manifest.author === undefined ? "" : ` by ${manifest.author.name}`}${
    manifest.description === undefined ? "" : `: ${clip(manifest.description, DESCRIPTION_MAX_CHARS)}`
  }`,
  `signature: ${signatureWords(signature)}`,
  `SHA-256: ${digest}`
]

/** `what` names it in messages. */
export const bundled = Effect.fnUntraced(function* (file: Buffer, what: string) {
  const { open, remove, unpack } = yield* Bundles
  const opened = yield* Effect.mapError(
    open(file),
    ({ detail }) => new UsageError({ message: shown(`${what} cannot be used: ${detail}`) })
  )
  const { directory, manifest, signature } = opened
  const ground: Ground = { platform: process.platform, home: homedir() }
  const problem =
    signature._tag === "Invalid" ? `has a signature that is ${signatureWords(signature)}` : unfit(manifest, ground)
  if (problem !== undefined) return yield* new UsageError({ message: shown(`${what} ${problem}`) })
  const undo = (made: { readonly directory: string; readonly isNew: boolean }) =>
    made.isNew ? remove(made.directory) : Effect.void
  return {
    name: nameFrom(manifest.name),
    about: aboutOf(opened),
    unusual: [],
    questions: questionsOf(manifest, ground),
    isForeign: true,
    build: (answers) => bundleEntry(manifest, directory, ground, answers),
    install: Effect.map(unpack(file), undo)
  } satisfies Prepared
})

export const bundleAt = Effect.fnUntraced(function* (path: string) {
  const { read } = yield* Bundles
  const file = yield* Effect.mapError(
    read(path),
    ({ detail }: BundleFailed) => new UsageError({ message: shown(`${path} cannot be used: ${detail}`) })
  )
  return yield* bundled(file, path)
})
