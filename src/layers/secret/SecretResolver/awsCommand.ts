/** Reads a secret with the command `aws` and its login. The output of the command is interpreted, but never quoted. */
import * as Effect from "effect/Effect"
import type { SecretsConfig } from "../../../schemas/secret/SecretsConfig.ts"
import { EXPIRED, inWords, NO_CREDENTIALS, NO_REGION } from "./awsFailure.ts"
import type { HelperFailed } from "../../../system/helperProcess.ts"
import { baseEnvironment, run } from "./secretCommand.ts"
import { parseJson, property } from "./jsonField.ts"
import * as Result from "effect/Result"
import type { ProviderContext } from "./SecretProvider.ts"

/** Variables for settings and credentials of AWS, and for the network. */
const SURROUNDINGS = ["AWS_", "HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"]

export interface Wanted {
  readonly secret: string
  readonly region: string | undefined
  /** `{ VersionId }` or `{ VersionStage }`, as in the SDK. */
  readonly version: { readonly VersionId?: string; readonly VersionStage?: string }
}

/** Gives the answer of the service in the format of the SDK. */
export interface Answer {
  readonly SecretString?: unknown
  readonly SecretBinary?: Uint8Array | undefined
}

export const make =
  ({ profile }: SecretsConfig["aws"], { env }: ProviderContext) =>
  (wanted: Wanted): Effect.Effect<Answer, HelperFailed> =>
    Effect.gen(function* () {
      const environment: Record<string, string> = { ...baseEnvironment(env, SURROUNDINGS), AWS_PAGER: "" }
      const { code, stderr, stdout } = yield* run({
        command: "aws",
        args: argsFor(wanted, profile),
        env: environment
      }).pipe(Effect.mapError(({ detail, missing }) => ({ detail: `aws ${detail}`, missing })))
      if (code !== 0) {
        const region = wanted.region ?? environment["AWS_REGION"] ?? "its region"
        return yield* lasting(reasonIn(stderr, region) ?? `aws ended with exit code ${code}`)
      }
      const answer = parseJson(stdout)
      if (Result.isFailure(answer)) return yield* lasting("aws answered with something that is not JSON")
      const binary = property(answer.success, "SecretBinary")
      return {
        SecretString: property(answer.success, "SecretString"),
        SecretBinary: typeof binary === "string" ? Buffer.from(binary, "base64") : undefined
      }
    })

const lasting = (detail: string) => Effect.fail({ detail, missing: false })

const argsFor = ({ region, secret, version }: Wanted, profile: string | undefined): ReadonlyArray<string> => [
  "secretsmanager",
  "get-secret-value",
  `--secret-id=${secret}`,
  "--output=json",
  ...(version.VersionId === undefined ? [] : [`--version-id=${version.VersionId}`]),
  ...(version.VersionStage === undefined ? [] : [`--version-stage=${version.VersionStage}`]),
  ...(region === undefined ? [] : [`--region=${region}`]),
  ...(profile === undefined ? [] : [`--profile=${profile}`])
]

const reasonIn = (stderr: string, region: string): string | undefined => {
  const name = /An error occurred \((?<name>[A-Za-z]+)\)/.exec(stderr)?.groups?.["name"]
  const words = name === undefined ? undefined : inWords(name, region)
  if (words !== undefined) return words
  if (/specify a region/i.test(stderr)) return NO_REGION
  if (/locate credentials|config profile .* could not be found/i.test(stderr)) return NO_CREDENTIALS
  if (/expired|sso login/i.test(stderr)) return EXPIRED
  return /could not connect|timeout/i.test(stderr)
    ? `AWS Secrets Manager in ${region} cannot be reached at the moment`
    : undefined
}
