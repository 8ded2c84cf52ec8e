/** Reads a secret with the command `gcloud` and its login. The output of the command is interpreted, but never quoted. */
import * as Effect from "effect/Effect"
import type { HelperFailed } from "../../../system/helperProcess.ts"
import { baseEnvironment, run } from "./secretCommand.ts"
import { inWords, noLogin, noProject } from "./gcpFailure.ts"
import type { GcpTarget } from "./gcpTarget.ts"
import type { ProviderContext } from "./SecretProvider.ts"

/** Variables for settings of `gcloud`, and for the network. */
const SURROUNDINGS = ["CLOUDSDK_", "HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"]
const CREDENTIAL = "CLOUDSDK_AUTH_ACCESS_TOKEN"

export const make =
  ({ env, mask }: ProviderContext) =>
  (target: GcpTarget): Effect.Effect<string, HelperFailed> =>
    Effect.gen(function* () {
      const environment = baseEnvironment(env, SURROUNDINGS)
      const token = environment[CREDENTIAL] ?? ""
      if (token !== "") mask(token)
      const { code, stderr, stdout } = yield* run({ command: "gcloud", args: argsFor(target), env: environment }).pipe(
        Effect.mapError(({ detail, missing }) => ({ detail: `gcloud ${detail}`, missing }))
      )
      if (code === 0) return stdout
      const detail = reasonIn(stderr, target) ?? `gcloud ended with exit code ${code}`
      return yield* Effect.fail({ detail, missing: false })
    })

const argsFor = ({ name, project, version }: GcpTarget): ReadonlyArray<string> => [
  "secrets",
  "versions",
  "access",
  version,
  `--secret=${name}`,
  ...(project === undefined ? [] : [`--project=${project}`]),
  "--quiet"
]

const reasonIn = (stderr: string, target: GcpTarget): string | undefined => {
  if (/SERVICE_DISABLED/.test(stderr)) return inWords("SERVICE_DISABLED", target)
  const status = /^ERROR: \(gcloud[a-z.]*\) (?<status>[A-Z_]+):/m.exec(stderr)?.groups?.["status"]
  const words = status === undefined ? undefined : inWords(status, target)
  if (words !== undefined) return words
  if (/does not have permission/.test(stderr)) return inWords("PERMISSION_DENIED", target)
  if (/active account|auth login|[Rr]eauthenticat|current auth tokens/.test(stderr)) return noLogin
  return /\[(?:core\/)?project\]/.test(stderr) ? noProject : undefined
}
