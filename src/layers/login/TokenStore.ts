/**
 * Credentials of servers, encrypted if the system has a keychain for the key. They are in a `CredentialStore`: one file per server in the data
 * directory, readable by this user only and replaced by rename, unless another store is provided. Secrets that are read or written and look random are registered with `Redactor`. Nothing is written that would be too
 * large to read.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CREDENTIALS_MAX_BYTES } from "../../schemas/defaults/Authorization.ts"
import { identityKey, type Credentials, type ServerIdentity } from "../../schemas/login/Credentials.ts"
import { dataDirectory } from "../../schemas/config/DataDirectory.ts"
import { TokenStoreFailed } from "../../schemas/login/TokenStoreFailed.ts"
import { Redactor } from "../../services/content/Redactor.ts"
import { CredentialStore, type HeldCredentials } from "../../services/login/CredentialStore.ts"
import { TokenStore, type Change } from "../../services/login/TokenStore.ts"
import { makeKeyedMutex } from "../../system/keyedMutex.ts"
import * as Envelope from "./TokenStore/envelope.ts"
import { fileStore, words } from "./TokenStore/credentialFiles.ts"
import { makeKnown } from "./TokenStore/known.ts"
import { keychainOf, readKey, readOrMakeKey, systemKeychain, type Keychain } from "./TokenStore/keychain.ts"

/** The place of the key. */
export interface KeyOptions {
  /** The keychain with the key; by default that of the system. If it gives `undefined`, credentials are not encrypted. */
  readonly keychain?: (() => Promise<Keychain | undefined>) | undefined
}

/** The places of the credentials and of their key. */
export interface Options extends KeyOptions {
  /** The data directory; by default `$MCP_LIVE_HOME`, else `~/.mcp-live`. */
  readonly directory?: string | undefined
}

const make = Effect.fnUntraced(function* (options: KeyOptions) {
  const store = yield* CredentialStore
  const { key: given } = store
  const keychain = yield* Effect.cached(
    given === undefined ? Effect.promise(options.keychain ?? systemKeychain) : Effect.succeed(keychainOf(given))
  )
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
        store.holdKey.pipe(Effect.mapError(failed(identity).with)),
        Effect.tryPromise({ try: () => readOrMakeKey(chain), catch: failed(identity).because })
      )
    )

  const keyToSeal = Effect.fnUntraced(function* (identity: ServerIdentity) {
    const chain = yield* keychain
    if (chain === undefined) return undefined
    key ??= (yield* keyToOpen(identity)) ?? (yield* makeKey(identity, chain))
    return key
  })

  // ---- what is stored ---------------------------------------------------------------------------------------------------

  const readWith = Effect.fnUntraced(function* (identity: ServerIdentity, stored: HeldCredentials["read"]) {
    const text = yield* Effect.mapError(stored, failed(identity).with)
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

  const read = (identity: ServerIdentity) => readWith(identity, store.read(identity))

  const write = Effect.fnUntraced(function* (
    identity: ServerIdentity,
    held: HeldCredentials,
    credentials: Credentials
  ) {
    const text = Envelope.write(yield* known(identity, credentials), identity, yield* keyToSeal(identity))
    if (Buffer.byteLength(text) > CREDENTIALS_MAX_BYTES) {
      return yield* failed(identity).with(`they are larger than ${CREDENTIALS_MAX_BYTES} bytes, and are not written`)
    }
    yield* held.write(text).pipe(Effect.mapError(failed(identity).with))
  })

  /** One at a time, over all processes. */
  const alone = <A, E>(
    identity: ServerIdentity,
    work: (held: HeldCredentials) => Effect.Effect<A, E>
  ): Effect.Effect<A, E | TokenStoreFailed> =>
    inTurn(
      identityKey(identity),
      Effect.scoped(store.hold(identity).pipe(Effect.mapError(failed(identity).with), Effect.flatMap(work)))
    )

  return TokenStore.of({
    read: Effect.fn("TokenStore.read")(read),
    modify: Effect.fn("TokenStore.modify")(
      <A, E>(identity: ServerIdentity, change: (current: Credentials | undefined) => Effect.Effect<Change<A>, E>) =>
        alone(identity, (held) =>
          Effect.flatMap(readWith(identity, held.read), (current) =>
            Effect.uninterruptibleMask((restore) =>
              Effect.gen(function* () {
                const { keep, value } = yield* restore(change(current))
                if (keep !== undefined) yield* write(identity, held, keep)
                return value
              })
            )
          )
        )
    ),
    remove: Effect.fn("TokenStore.remove")((identity: ServerIdentity) =>
      alone(identity, ({ remove }) => Effect.mapError(remove, failed(identity).with))
    ),
    watch: store.watch,
    encrypts: Effect.map(keychain, (chain) => chain !== undefined)
  })
})

/** Credentials where `CredentialStore` says, encrypted if the system has a keychain, or if one is given. */
export const layerStored = (options: KeyOptions = {}): Layer.Layer<TokenStore, never, CredentialStore | Redactor> =>
  Layer.effect(TokenStore, make(options))

/** Credentials in files of the data directory. */
export const layerFiles = ({ directory }: Pick<Options, "directory"> = {}): Layer.Layer<CredentialStore> =>
  Layer.sync(CredentialStore, () => fileStore(directory ?? dataDirectory()))

/** Credentials in files of the data directory, encrypted if the system has a keychain. */
export const layer = ({ directory, ...options }: Options = {}): Layer.Layer<TokenStore, never, Redactor> =>
  Layer.provide(layerStored(options), layerFiles({ directory }))
