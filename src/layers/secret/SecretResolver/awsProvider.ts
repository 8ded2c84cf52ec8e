/**
 * `secret://aws/NAME#VERSION`: a secret in AWS Secrets Manager, by its name or (in braces) its ARN, which contains the region.
 * `{secret://aws/NAME:KEY}` is one key of a secret that is a JSON object. VERSION is a version id or a stage. The secret is read by the SDK
 * of AWS if it is installed, else by the command `aws`; both find the region and credentials as usual. Messages are our own.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { SecretsConfig } from "../../../schemas/secret/SecretsConfig.ts"
import * as AwsCommand from "./awsCommand.ts"
import { inWords, NO_REGION } from "./awsFailure.ts"
import { fieldOf, parseJson, property } from "./jsonField.ts"
import { networkReason } from "./networkReason.ts"
import { loadOptional } from "../../../system/optionalPackage.ts"
import type { ProviderContext, SecretProvider } from "./SecretProvider.ts"

/** The part of the SDK that is used. */
export interface AwsModule {
  readonly SecretsManager: new (config: { readonly region?: string; readonly profile?: string }) => AwsClient
}

interface AwsClient {
  readonly config: { readonly region: () => Promise<string> }
  getSecretValue(
    input: { readonly SecretId: string; readonly VersionId?: string; readonly VersionStage?: string },
    options: { readonly abortSignal: AbortSignal }
  ): Promise<{ readonly SecretString?: string | undefined; readonly SecretBinary?: Uint8Array | undefined }>
}

const PACKAGE: string = "@aws-sdk/client-secrets-manager"

export const make = (
  config: SecretsConfig["aws"],
  context: ProviderContext,
  load: Effect.Effect<AwsModule, string> = loadOptional(PACKAGE, () => import(PACKAGE) as Promise<AwsModule>)
): SecretProvider => {
  const { env, mask } = context
  /** Clients by region; the empty region means that of the SDK. They keep credentials and connections as long as this process runs. */
  const clients = new Map<string, AwsClient>()

  const byCommand = AwsCommand.make(config, context)

  const clientFor = Effect.fnUntraced(function* (module: AwsModule, region: string | undefined) {
    const found = clients.get(region ?? "")
    if (found !== undefined) return found
    const { SecretsManager } = module
    const made = yield* Effect.try({
      try: () =>
        new SecretsManager({
          ...(region === undefined ? {} : { region }),
          ...(config.profile === undefined ? {} : { profile: config.profile })
        }),
      catch: () => "the AWS SDK could not be set up"
    })
    clients.set(region ?? "", made)
    return made
  })

  const bySdk = Effect.fnUntraced(function* (module: AwsModule, target: Target, version: string | undefined) {
    const client = yield* clientFor(module, target.region ?? config.region)
    const region = yield* Effect.tryPromise({ try: () => client.config.region(), catch: () => NO_REGION })
    return yield* Effect.tryPromise({
      try: (abortSignal) => client.getSecretValue({ SecretId: target.secret, ...selected(version) }, { abortSignal }),
      catch: (error) => reasonOf(error, region)
    })
  })

  return {
    kept: true,
    read: Effect.fnUntraced(function* (path: string, version: string | undefined) {
      const target = yield* Effect.fromResult(targetOf(path))
      for (const name of CREDENTIALS) if (env[name] !== undefined && env[name] !== "") mask(env[name])
      const sdk = yield* Effect.result(load)
      const answer = Result.isSuccess(sdk)
        ? yield* bySdk(sdk.success, target, version)
        : yield* byCommand({
            secret: target.secret,
            region: target.region ?? config.region,
            version: selected(version)
          }).pipe(
            Effect.mapError(({ detail, missing }) =>
              missing ? `${sdk.failure}; or else the command aws, and that is not in PATH` : detail
            )
          )
      const text = yield* Effect.fromResult(textOf(answer))
      return target.key === undefined ? text : yield* Effect.fromResult(keyOf(text, target.key))
    })
  }
}

/** Credentials from files and services stay within the SDK. */
const CREDENTIALS = ["AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"]

// ---- the reference ---------------------------------------------------------------------------------------------

interface Target {
  readonly secret: string
  readonly region: string | undefined
  readonly key: string | undefined
}

const NAME = /^[A-Za-z0-9/_+=.@-]{1,512}$/
const ARN = /^arn:aws[a-z-]*:secretsmanager:(?<region>[a-z0-9-]{1,63}):[0-9]{12}:secret:[A-Za-z0-9/_+=.@-]{1,512}$/
const ARN_PARTS = 7

const targetOf = (path: string): Result.Result<Target, string> => {
  const parts = path.split(":")
  const isArn = parts[0] === "arn"
  const secret = parts.splice(0, isArn ? ARN_PARTS : 1).join(":")
  const region = ARN.exec(secret)?.groups?.["region"]
  if (isArn ? region === undefined : !NAME.test(secret)) {
    return Result.fail(`that is not ${isArn ? "the ARN" : "the name"} of a secret in AWS Secrets Manager`)
  }
  const key = parts.length === 0 ? undefined : parts.join(":")
  return key === "" ? Result.fail("there is no key after the colon") : Result.succeed({ secret, region, key })
}

const VERSION_ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

const selected = (version: string | undefined) => {
  if (version === undefined) return {}
  return VERSION_ID.test(version) ? { VersionId: version } : { VersionStage: version }
}

// ---- the answer ------------------------------------------------------------------------------------------------

const textOf = (answer: unknown): Result.Result<string, string> => {
  const text = property(answer, "SecretString")
  if (typeof text === "string") return Result.succeed(text)
  const bytes = property(answer, "SecretBinary")
  if (!(bytes instanceof Uint8Array)) return Result.fail("the secret has no value")
  return Result.try({
    try: () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes),
    catch: () => "the secret is binary, not UTF-8 text"
  })
}

const keyOf = (text: string, key: string) =>
  Result.mapError(
    Result.flatMap(parseJson(text), (object) => fieldOf(object, key)),
    (detail) => `the secret was read, but ${detail}`
  )

// ---- errors -----------------------------------------------------------------------------------------------

const reasonOf = (error: unknown, region: string): string => {
  const name: unknown = error instanceof Error ? error.name : undefined
  const words = typeof name === "string" ? inWords(name, region) : undefined
  if (words !== undefined) return words
  // The SDK calls every broken connection a timeout.
  const network = networkReason(error)
  if (network !== undefined) return `AWS Secrets Manager in ${region} ${network.detail}`
  if (name === "TimeoutError") return `AWS Secrets Manager in ${region} did not answer in time`
  const status = property(property(error, "$metadata"), "httpStatusCode")
  return `AWS refused the request for a reason that is not known here${typeof status === "number" ? ` (HTTP ${status})` : ""}`
}
