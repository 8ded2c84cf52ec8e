/**
 * `secret://aws/NAME#VERSION`: a secret in AWS Secrets Manager, by its name or (in braces) its ARN, which says its region
 * itself; `{secret://aws/NAME:KEY}` is one key of a secret that is a JSON object. VERSION is a version id, else a stage.
 * AWS's SDK finds region and credentials where it always does. Messages are in our words.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { SecretsConfig } from "../../schemas/SecretsConfig.ts"
import { fieldOf, parseJson, property } from "./jsonField.ts"
import { networkReason } from "./networkReason.ts"
import { loadOptional } from "./optionalPackage.ts"
import type { ProviderContext, SecretProvider } from "./SecretProvider.ts"

/** What is used of the SDK. */
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
  { env, mask }: ProviderContext,
  load: Effect.Effect<AwsModule, string> = loadOptional(PACKAGE, () => import(PACKAGE) as Promise<AwsModule>)
): SecretProvider => {
  /** By region; the empty one is the SDK's own choice. They keep credentials and connections for as long as we run. */
  const clients = new Map<string, AwsClient>()

  const clientFor = Effect.fnUntraced(function* (region: string | undefined) {
    const found = clients.get(region ?? "")
    if (found !== undefined) return found
    const { SecretsManager } = yield* load
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

  return {
    kept: true,
    read: Effect.fnUntraced(function* (path: string, version: string | undefined) {
      const target = yield* Effect.fromResult(targetOf(path))
      for (const name of CREDENTIALS) if (env[name] !== undefined && env[name] !== "") mask(env[name])
      const client = yield* clientFor(target.region ?? config.region)
      const region = yield* Effect.tryPromise({ try: () => client.config.region(), catch: () => NO_REGION })
      const answer = yield* Effect.tryPromise({
        try: (abortSignal) => client.getSecretValue({ SecretId: target.secret, ...selected(version) }, { abortSignal }),
        catch: (error) => reasonOf(error, region)
      })
      const text = yield* Effect.fromResult(textOf(answer))
      return target.key === undefined ? text : yield* Effect.fromResult(keyOf(text, target.key))
    })
  }
}

/** Others, of files and services, the SDK keeps to itself. */
const CREDENTIALS = ["AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"]

const NO_REGION =
  "no AWS region is set: set AWS_REGION, or region of secrets.aws in the config, or a region for the profile in use"

// ---- what is asked for ---------------------------------------------------------------------------------------------

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
  return key === "" ? Result.fail("there is no key behind the colon") : Result.succeed({ secret, region, key })
}

const VERSION_ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

const selected = (version: string | undefined) => {
  if (version === undefined) return {}
  return VERSION_ID.test(version) ? { VersionId: version } : { VersionStage: version }
}

// ---- what came back ------------------------------------------------------------------------------------------------

const textOf = (answer: unknown): Result.Result<string, string> => {
  const text = property(answer, "SecretString")
  if (typeof text === "string") return Result.succeed(text)
  const bytes = property(answer, "SecretBinary")
  if (!(bytes instanceof Uint8Array)) return Result.fail("the secret has no value")
  return Result.try({
    try: () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes),
    catch: () => "the secret is binary, and no UTF-8 text"
  })
}

const keyOf = (text: string, key: string) =>
  Result.mapError(
    Result.flatMap(parseJson(text), (object) => fieldOf(object, key)),
    (detail) => `the secret was read, but ${detail}`
  )

// ---- what went wrong -----------------------------------------------------------------------------------------------

const DENIED = "access is denied: the credentials need secretsmanager:GetSecretValue on the secret, and its KMS key"
const EXPIRED = "the AWS credentials have expired: get new ones, with 'aws sso login' where that is in use"
const UNKNOWN_CREDENTIALS = "AWS does not accept the credentials: they are wrong or were revoked"
const SIGNATURE = "AWS does not accept the signature: the secret key is wrong, or the clock of this machine"
const LIMITED = "AWS limits the rate of requests"
const TROUBLE = "AWS Secrets Manager is in trouble"
const NO_CREDENTIALS =
  "no AWS credentials are to be had: set AWS_PROFILE (or profile of secrets.aws in the config), or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or log in with 'aws sso login'"

/** By the name of the error: those of the service, those that every service of AWS has, those of the SDK. */
const REASONS: Readonly<Record<string, string>> = {
  InvalidRequestException: "the secret is marked for deletion, or is managed by another service of AWS",
  InvalidParameterException: "AWS does not take that name or version",
  ValidationException: "AWS does not take that name or version",
  DecryptionFailure: "AWS cannot decrypt the secret: its KMS key is disabled or deleted, or not for these credentials",
  InternalServiceError: TROUBLE,
  InternalFailure: TROUBLE,
  ServiceUnavailable: TROUBLE,
  AccessDeniedException: DENIED,
  AccessDenied: DENIED,
  NotAuthorized: DENIED,
  OptInRequired: "the AWS account is not signed up for the service in this region",
  ExpiredTokenException: EXPIRED,
  ExpiredToken: EXPIRED,
  TokenProviderError: EXPIRED,
  UnrecognizedClientException: UNKNOWN_CREDENTIALS,
  InvalidClientTokenId: UNKNOWN_CREDENTIALS,
  MissingAuthenticationTokenException: UNKNOWN_CREDENTIALS,
  MissingAuthenticationToken: UNKNOWN_CREDENTIALS,
  InvalidSignatureException: SIGNATURE,
  SignatureDoesNotMatch: SIGNATURE,
  IncompleteSignature: SIGNATURE,
  IncompleteSignatureException: SIGNATURE,
  RequestExpired: SIGNATURE,
  RequestTimeTooSkewed: SIGNATURE,
  ThrottlingException: LIMITED,
  Throttling: LIMITED,
  RequestLimitExceeded: LIMITED,
  TooManyRequestsException: LIMITED,
  CredentialsProviderError: NO_CREDENTIALS
}

const reasonOf = (error: unknown, region: string): string => {
  const name: unknown = error instanceof Error ? error.name : undefined
  if (name === "ResourceNotFoundException") return `there is no such secret, or not that version of it, in ${region}`
  if (typeof name === "string" && Object.hasOwn(REASONS, name)) return REASONS[name] ?? TROUBLE
  // The SDK calls everything that broke off a timeout.
  const network = networkReason(error)
  if (network !== undefined) return `AWS Secrets Manager in ${region} ${network.detail}`
  if (name === "TimeoutError") return `AWS Secrets Manager in ${region} did not answer in time`
  const status = property(property(error, "$metadata"), "httpStatusCode")
  return `AWS refused the request for a reason that is not known here${typeof status === "number" ? ` (HTTP ${status})` : ""}`
}
