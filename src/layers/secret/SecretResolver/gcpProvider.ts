/**
 * `secret://gcp/NAME#VERSION`, or `secret://gcp/projects/PROJECT/secrets/NAME#VERSION`: a secret in Google's Secret Manager, in its latest
 * version if none is given. It is read by Google's SDK if that is installed, else by the command `gcloud`.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { SecretsConfig } from "../../../schemas/secret/SecretsConfig.ts"
import * as GcloudCommand from "./gcloudCommand.ts"
import * as GcpSdk from "./gcpSdk.ts"
import { targetOf } from "./gcpTarget.ts"
import { loadOptional } from "../../../system/optionalPackage.ts"
import type { ProviderContext, SecretProvider } from "./SecretProvider.ts"

const PACKAGE: string = "@google-cloud/secret-manager"

export const make = (
  config: SecretsConfig["gcp"],
  context: ProviderContext,
  load: Effect.Effect<GcpSdk.GcpModule, string> = loadOptional(
    PACKAGE,
    () => import(PACKAGE) as Promise<GcpSdk.GcpModule>
  )
): SecretProvider => {
  const bySdk = GcpSdk.make()
  const byCommand = GcloudCommand.make(context)
  return {
    kept: true,
    read: Effect.fnUntraced(function* (path: string, version: string | undefined) {
      const target = yield* Effect.fromResult(targetOf(path, version, projectOf(config, context)))
      const sdk = yield* Effect.result(load)
      if (Result.isSuccess(sdk)) return yield* bySdk(sdk.success, target)
      return yield* byCommand(target).pipe(
        Effect.mapError(({ detail, missing }) =>
          missing ? `${sdk.failure}; or else the command gcloud, and that is not in PATH` : detail
        )
      )
    })
  }
}

const projectOf = (config: SecretsConfig["gcp"], { env }: ProviderContext): string | undefined =>
  [config.project, env["GOOGLE_CLOUD_PROJECT"], env["GCLOUD_PROJECT"]].find(
    (project) => project !== undefined && project !== ""
  )
