/**
 * `secret://vault/MOUNT/path/to/secret/FIELD#VERSION`: one field of a secret in the KV engine, version 2, of HashiCorp Vault or OpenBao.
 * Messages are our own: they contain neither text of Vault nor the names of other fields.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { resolve as absolute } from "node:path"
import type { VaultConfig } from "../../../schemas/secret/SecretsConfig.ts"
import * as FileProvider from "./fileProvider.ts"
import { fieldOf, property } from "./jsonField.ts"
import type { ProviderContext, SecretProvider } from "./SecretProvider.ts"
import { isLoopback, type Vault, type VaultAnswer, type VaultSite, withVault } from "./vaultRequest.ts"
import * as VaultToken from "./vaultToken.ts"

export const make = (config: VaultConfig, context: ProviderContext): SecretProvider => {
  const tokens = VaultToken.make(config, context)
  return {
    kept: true,
    read: Effect.fnUntraced(function* (path: string, version: string | undefined) {
      const target = yield* Effect.fromResult(targetOf(path, version))
      const site = yield* siteOf(config, context)
      return yield* withVault(site, (vault) => readField(vault, tokens, target))
    })
  }
}

// ---- the reference ---------------------------------------------------------------------------------------------

interface Target {
  /** Of the request. */
  readonly path: string
  readonly field: string
  readonly version: string | undefined
}

const targetOf = (path: string, version: string | undefined): Result.Result<Target, string> => {
  const segments = path.split("/")
  const field = segments.pop() ?? ""
  const [mount = "", ...secret] = segments
  if (secret.length === 0 || [...segments, field].some((part) => part === "" || part === "." || part === "..")) {
    return Result.fail("it is not of the form secret://vault/MOUNT/PATH/FIELD")
  }
  if (version !== undefined && !/^[1-9][0-9]{0,9}$/.test(version)) {
    return Result.fail("versions in Vault are numbers from 1 on")
  }
  const query = version === undefined ? "" : `?version=${version}`
  const below = secret.map(encodeURIComponent).join("/")
  return Result.succeed({ path: `/v1/${encodeURIComponent(mount)}/data/${below}${query}`, field, version })
}

// ---- the address of Vault ------------------------------------------------------------------------------------------------

const siteOf = Effect.fnUntraced(function* (config: VaultConfig, { env }: ProviderContext) {
  const address = yield* Effect.fromResult(addressOf(config.address ?? env["VAULT_ADDR"] ?? ""))
  const namespace = (config.namespace ?? env["VAULT_NAMESPACE"] ?? "").trim()
  if (!/^[\x21-\x7e]*$/.test(namespace)) return yield* Effect.fail("the namespace of Vault is invalid")
  const file = env["VAULT_CACERT"] ?? ""
  const ca = file === "" ? undefined : yield* certificatesIn(file)
  const site: VaultSite = { address, namespace: namespace === "" ? undefined : namespace, ca }
  return site
})

/** An address may contain a password, so errors do not quote it. */
const addressOf = (written: string): Result.Result<URL, string> => {
  const text = written.trim()
  if (text === "") {
    return Result.fail("the address of Vault is not known: set VAULT_ADDR, or address of secrets.vault in the config")
  }
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    return Result.fail("the address of Vault is not a URL that begins with https:// (or http://)")
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    return Result.fail("the address of Vault must contain only host, port and path")
  }
  return url.protocol === "https:" || isLoopback(url)
    ? Result.succeed(url)
    : Result.fail(
        `the address of Vault must begin with https://: over http:// to ${url.host}, the token could be read on the way`
      )
}

const certificatesIn = (file: string): Effect.Effect<string, string> =>
  FileProvider.make("")
    .read(absolute(file).replace(/^\//, ""), undefined)
    .pipe(
      Effect.mapError((detail) => `VAULT_CACERT: ${detail}`),
      Effect.filterOrFail(
        (text) => text.includes("BEGIN CERTIFICATE"),
        () => "VAULT_CACERT: there is no certificate in the file"
      )
    )

// ---- the request --------------------------------------------------------------------------------------------------------

const readField = Effect.fnUntraced(function* (vault: Vault, tokens: VaultToken.VaultTokens, target: Target) {
  const ask = (token: string) =>
    vault.send({ method: "GET", path: target.path, token }).pipe(Effect.mapError(({ detail }) => detail))
  const { isNew, token } = yield* tokens.take(vault)
  const answer = yield* ask(token)
  if (answer.status !== 403 || isNew) return yield* Effect.fromResult(valueOf(answer, target))

  const another = yield* tokens
    .replace(vault, token)
    .pipe(Effect.mapError((detail) => `Vault refused the token (HTTP 403), and a new one was not to be had: ${detail}`))
  if (another === undefined) return yield* Effect.fail(REFUSED)
  const second = yield* ask(another)
  if (second.status === 403) yield* tokens.inVain
  return yield* Effect.fromResult(valueOf(second, target))
})

const REFUSED =
  "Vault refused the token (HTTP 403): it is wrong, expired or used up, or its policies do not let it read this path"

const valueOf = ({ body, status }: VaultAnswer, { field, version }: Target): Result.Result<string, string> => {
  const data = property(body, "data")
  if (status === 403) return Result.fail(REFUSED)
  if (status === 404) return Result.fail(reasonMissing(body, version))
  if (status !== 200) return Result.fail(`Vault rejected the request (HTTP ${status})`)
  const fields = property(data, "data")
  return property(data, "metadata") === undefined || typeof fields !== "object" || fields === null
    ? Result.fail("the answer at Vault's address is not a secret of KV version 2")
    : Result.mapError(fieldOf(fields, field), (detail) => `the secret was read, but ${detail}`)
}

/** A deleted version comes with its metadata, a version that never existed without; a mount that does not exist gives an error. */
const reasonMissing = (body: unknown, version: string | undefined): string => {
  const metadata = property(property(body, "data"), "metadata")
  const which = version === undefined ? "the newest version of the secret" : `version ${version} of the secret`
  if (property(metadata, "destroyed") === true) return `${which} was destroyed`
  if (metadata !== undefined) return `${which} was deleted; 'vault kv undelete' brings it back`
  const errors = property(body, "errors")
  if (Array.isArray(errors) && errors.length > 0) {
    return "Vault has no secrets engine mounted there: look at the first part of the path, and at the namespace"
  }
  const secret = version === undefined ? "no such secret" : "no such secret, or not that version of it"
  return `Vault has ${secret} (of the path, the first part is the mount, of KV version 2, and the last part the field)`
}
