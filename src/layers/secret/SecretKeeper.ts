/**
 * Stores secrets in files of the data directory that only this user can read (`secrets/SERVER/NAME`), or in the system's keychain
 * with an optional package.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { homedir } from "node:os"
import { dirname, join, sep } from "node:path"
import { dataDirectory } from "../../schemas/config/DataDirectory.ts"
import { SECRET_FILE_MAX_BYTES } from "../../schemas/defaults/Secrets.ts"
import { parse } from "../../schemas/secret/SecretReference.ts"
import { SecretKeeper, SecretNotKept } from "../../services/secret/SecretKeeper.ts"
import { loadOptional } from "../../system/optionalPackage.ts"
import { fileSystemSays, makeOwnDirectory, readOwn, removeFile, replaceFile } from "../../system/ownFiles.ts"

/** The part of the package for keychains that is used. */
export interface Keyring {
  readonly AsyncEntry: new (
    service: string,
    account: string
  ) => {
    readonly getPassword: (signal?: AbortSignal) => Promise<string | null | undefined>
    readonly setPassword: (password: string, signal?: AbortSignal) => Promise<void>
    readonly deletePassword: (signal?: AbortSignal) => Promise<unknown>
  }
}

export interface Options {
  readonly directory?: string
  readonly home?: string
  /** Loads the package for keychains. */
  readonly load?: Effect.Effect<Keyring, string>
}

const PACKAGE = "@napi-rs/keyring"
const SERVICE = "mcp-live"
const KEYCHAIN = `secret://keychain/${SERVICE}/`
const NAME_MAX_CHARS = 64

/** A name that may stand in a reference and in a path. */
const fit = (name: string): string =>
  name
    .replace(/[^A-Za-z0-9_.-]+/g, "_")
    .replace(/^[.-]+/, "")
    .slice(0, NAME_MAX_CHARS) || "secret"

const refuse = (detail: string) => new SecretNotKept({ detail })

/** The first of `NAME`, `NAME-2`, … that is free, or that has this value already. */
const placeFor = async (name: string, value: string, read: (name: string) => Promise<string | undefined>) => {
  for (let count = 1; ; count++) {
    const candidate = count === 1 ? name : `${name}-${count}`
    const known = await read(candidate)
    if (known === undefined || known === value) return { candidate, isKnown: known !== undefined }
  }
}

const make = ({
  directory = dataDirectory(),
  home = homedir(),
  load = loadOptional(PACKAGE, (): Promise<Keyring> => import(PACKAGE), "2")
}: Options) => {
  const pathOf = (server: string, name: string) => join(directory, "secrets", fit(server), name)

  const referenceTo = (file: string): string => {
    const path = file.startsWith(home + sep) ? `~${file.slice(home.length)}` : file.replace(/^\//, "")
    return `secret://file/${path.replaceAll("\\", "/")}`
  }

  const inFile = Effect.fnUntraced(function* (server: string, given: string, value: string) {
    const reference = referenceTo(pathOf(server, given))
    if ("malformed" in parse(`{${reference}}`)) {
      return yield* refuse(
        `${directory} has characters that a reference cannot have: set MCP_LIVE_HOME to another folder`
      )
    }
    return yield* Effect.tryPromise({
      try: async () => {
        // The provider removes one line break at the end.
        const read = async (name: string) =>
          (await readOwn(pathOf(server, name), SECRET_FILE_MAX_BYTES))?.text.replace(/\n$/, "")
        const { candidate, isKnown } = await placeFor(given, value, read)
        const file = pathOf(server, candidate)
        makeOwnDirectory(dirname(dirname(file)))
        makeOwnDirectory(dirname(file))
        if (!isKnown) await replaceFile(file, `${value}\n`)
        return { reference: referenceTo(file), isNew: !isKnown }
      },
      catch: (error) => refuse(`${directory} cannot be used: ${fileSystemSays(error)}`)
    })
  })

  const inKeychain = Effect.fnUntraced(function* (server: string, given: string, value: string) {
    const { AsyncEntry } = yield* Effect.mapError(load, refuse)
    return yield* Effect.tryPromise({
      try: async (signal) => {
        const entryOf = (name: string) => new AsyncEntry(SERVICE, name)
        const read = async (name: string) => (await entryOf(name).getPassword(signal)) ?? undefined
        const { candidate, isKnown } = await placeFor(`${fit(server)}.${given}`, value, read)
        if (!isKnown) await entryOf(candidate).setPassword(value, signal)
        return { reference: `${KEYCHAIN}${candidate}`, isNew: !isKnown }
      },
      // The package quotes entries.
      catch: () => refuse("the system's keychain cannot be used: it is locked, or none is running")
    })
  })

  const files = referenceTo(join(directory, "secrets", "x")).slice(0, -1)

  const forget = (reference: string): Effect.Effect<void> => {
    const [server = "", name = "", ...more] = reference.startsWith(files)
      ? reference.slice(files.length).split("/")
      : []
    if (name !== "" && more.length === 0) return Effect.promise(() => removeFile(pathOf(server, name)).catch(() => {}))
    if (!reference.startsWith(KEYCHAIN)) return Effect.void
    return Effect.flatMap(load, ({ AsyncEntry }) =>
      Effect.tryPromise((signal) => new AsyncEntry(SERVICE, reference.slice(KEYCHAIN.length)).deletePassword(signal))
    ).pipe(Effect.ignore)
  }

  return SecretKeeper.of({
    keep: (keeper, { name, server, value }) =>
      (keeper === "file" ? inFile : inKeychain)(server, fit(name), Redacted.value(value)),
    referenceFor: (keeper, { name, server }) =>
      keeper === "file" ? referenceTo(pathOf(server, fit(name))) : `${KEYCHAIN}${fit(server)}.${fit(name)}`,
    forget
  })
}

export const layer = (options: Options = {}): Layer.Layer<SecretKeeper> => Layer.sync(SecretKeeper, () => make(options))
