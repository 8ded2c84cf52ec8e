/**
 * Credentials in the data directory: one file per server, readable by this user only, replaced by rename, and encrypted if the system has a
 * keychain for the key. Secrets that are read or written and look random are registered with `Redactor`. Nothing is written that would be too
 * large to read.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import {
  CREDENTIALS_LOCK_WAIT_MS,
  CREDENTIALS_MAX_BYTES,
  CREDENTIALS_WATCH_MS
} from "../../schemas/defaults/Authorization.ts"
import { identityKey, type Credentials, type ServerIdentity } from "../../schemas/login/Credentials.ts"
import { dataDirectory } from "../../schemas/config/DataDirectory.ts"
import { TokenStoreFailed } from "../../schemas/login/TokenStoreFailed.ts"
import { Redactor } from "../../services/content/Redactor.ts"
import { TokenStore, type Change } from "../../services/login/TokenStore.ts"
import { withLock } from "../../system/fileLock.ts"
import { makeKeyedMutex } from "../../system/keyedMutex.ts"
import { codeOf, fileSystemSays, removeFile, replaceFile } from "../../system/ownFiles.ts"
import * as Envelope from "./TokenStore/envelope.ts"
import * as Files from "./TokenStore/credentialFiles.ts"
import { makeKnown } from "./TokenStore/known.ts"
import { readKey, readOrMakeKey, systemKeychain, type Keychain } from "./TokenStore/keychain.ts"

/** The places of the credentials and of their key. */
export interface Options {
  /** The data directory; by default `$MCP_LIVE_HOME`, else `~/.mcp-live`. */
  readonly directory?: string | undefined
  /** The keychain with the key; by default that of the system. If it gives `undefined`, credentials are not encrypted. */
  readonly keychain?: (() => Promise<Keychain | undefined>) | undefined
}

const words = (error: unknown): string =>
  codeOf(error) === undefined && error instanceof Error ? error.message : fileSystemSays(error)

const make = Effect.fnUntraced(function* (options: Options) {
  const directory = options.directory ?? dataDirectory()
  const keychain = yield* Effect.cached(Effect.promise(options.keychain ?? systemKeychain))
  /** Within this process, only one at a time asks for the lock between processes. */
  const { inTurn } = yield* makeKeyedMutex

  const failed = ({ server }: ServerIdentity) => ({
    with: (detail: string) => new TokenStoreFailed({ server, detail }),
    because: (error: unknown) => new TokenStoreFailed({ server, detail: words(error) })
  })

  /** They go into a header and nowhere else: no call may contain one of them. */
  const known = makeKnown(yield* Redactor)

  // ---- the key -----------------------------------------------------------------------------------------------------

  let key: Buffer | undefined

  const keyToOpen = Effect.fnUntraced(function* (identity: ServerIdentity) {
    const chain = yield* keychain
    if (key !== undefined || chain === undefined) return key
    key = yield* Effect.tryPromise({ try: () => readKey(chain), catch: failed(identity).because })
    return key
  })

  /** If two processes made a key at the same time, each would write what the other cannot read. */
  const makeKey = (identity: ServerIdentity, chain: Keychain) =>
    Effect.scoped(
      Effect.andThen(
        withLock(Files.keychainLock(directory), CREDENTIALS_LOCK_WAIT_MS).pipe(Effect.mapError(failed(identity).with)),
        Effect.tryPromise({ try: () => readOrMakeKey(chain), catch: failed(identity).because })
      )
    )

  const keyToSeal = Effect.fnUntraced(function* (identity: ServerIdentity) {
    const chain = yield* keychain
    if (key !== undefined || chain === undefined) return key
    key = yield* makeKey(identity, chain)
    return key
  })

  // ---- the files ---------------------------------------------------------------------------------------------------

  const read = Effect.fnUntraced(function* (identity: ServerIdentity) {
    const { file } = Files.pathsOf(directory, identity)
    const text = yield* Effect.tryPromise({ try: () => Files.readText(file), catch: failed(identity).because })
    if (text === undefined) return undefined
    const opened = Envelope.read(text, identity)
    if (opened._tag === "Foreign") return yield* failed(identity).with(opened.detail)
    if (opened._tag === "Plain") return yield* known(identity, opened.credentials)
    const opener = yield* keyToOpen(identity)
    if (opener === undefined) {
      return yield* failed(identity).with("they are encrypted, and the keychain with the key is not there")
    }
    const credentials = opened.open(opener)
    if (credentials === undefined) return yield* failed(identity).with("the key in the keychain does not open them")
    return yield* known(identity, credentials)
  })

  const write = Effect.fnUntraced(function* (identity: ServerIdentity, credentials: Credentials) {
    const text = Envelope.write(yield* known(identity, credentials), identity, yield* keyToSeal(identity))
    if (Buffer.byteLength(text) > CREDENTIALS_MAX_BYTES) {
      return yield* failed(identity).with(`they are larger than ${CREDENTIALS_MAX_BYTES} bytes, and are not written`)
    }
    const { file } = Files.pathsOf(directory, identity)
    yield* Effect.tryPromise({ try: () => replaceFile(file, text), catch: failed(identity).because })
  })

  /** One at a time, over all processes. */
  const alone = <A, E>(identity: ServerIdentity, work: Effect.Effect<A, E>): Effect.Effect<A, E | TokenStoreFailed> => {
    const { lock } = Files.pathsOf(directory, identity)
    const directoryReady = Effect.tryPromise({
      try: () => Files.makeDirectory(directory),
      catch: failed(identity).because
    })
    return inTurn(
      identityKey(identity),
      Effect.scoped(
        directoryReady.pipe(
          Effect.andThen(withLock(lock, CREDENTIALS_LOCK_WAIT_MS).pipe(Effect.mapError(failed(identity).with))),
          Effect.andThen(work)
        )
      )
    )
  }

  return TokenStore.of({
    read: Effect.fn("TokenStore.read")(read),
    modify: Effect.fn("TokenStore.modify")(
      <A, E>(identity: ServerIdentity, change: (current: Credentials | undefined) => Effect.Effect<Change<A>, E>) =>
        alone(
          identity,
          Effect.flatMap(read(identity), (current) =>
            Effect.uninterruptibleMask((restore) =>
              Effect.gen(function* () {
                const { keep, value } = yield* restore(change(current))
                if (keep !== undefined) yield* write(identity, keep)
                return value
              })
            )
          )
        )
    ),
    remove: Effect.fn("TokenStore.remove")((identity: ServerIdentity) => {
      const { file } = Files.pathsOf(directory, identity)
      return alone(identity, Effect.tryPromise({ try: () => removeFile(file), catch: failed(identity).because }))
    }),
    watch: (identity) => {
      const { file } = Files.pathsOf(directory, identity)
      const stamp = Effect.promise(() => Files.stampOf(file))
      return Effect.map(stamp, (before) =>
        Effect.gen(function* () {
          while ((yield* stamp) === before) yield* Effect.sleep(CREDENTIALS_WATCH_MS)
        })
      )
    },
    encrypts: Effect.map(keychain, (chain) => chain !== undefined)
  })
})

/** Credentials in files of the data directory, encrypted if the system has a keychain. */
export const layer = (options: Options = {}): Layer.Layer<TokenStore, never, Redactor> =>
  Layer.effect(TokenStore, make(options))
