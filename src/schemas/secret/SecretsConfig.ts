/**
 * How the providers of secrets are reached. Everything here has a usual environment variable or a default, so that most
 * configurations need nothing of it. Texts marked so may themselves hold references, to `env`, `file`, `exec` and `keychain`.
 */
import { SECRET_TTL_MS } from "../defaults/Secrets.ts"
import type { ConfigIssue } from "../config/GatewayConfig.ts"

/** `secret://exec/NAME` is what this command writes to its standard output, without one line break at the end. */
export interface SecretCommand {
  /** A program, by its absolute path or found in PATH; started without a shell. */
  readonly command: string
  readonly args: ReadonlyArray<string>
  /** Added to the base environment that servers get, too; may hold references to `env` and `file`. */
  readonly env: Readonly<Record<string, string>>
}

/** HashiCorp Vault or OpenBao: KV version 2 over HTTP. */
export interface VaultConfig {
  /** `VAULT_ADDR` when left out. */
  readonly address?: string | undefined
  /** `VAULT_NAMESPACE` when left out, else none. */
  readonly namespace?: string | undefined
  /** May hold references. `VAULT_TOKEN` when left out, unless there is an AppRole. */
  readonly token?: string | undefined
  /** Both may hold references. `VAULT_ROLE_ID` and `VAULT_SECRET_ID` when left out. */
  readonly appRole?: { readonly roleId: string; readonly secretId: string; readonly mount: string } | undefined
}

/**
 * How the providers of secrets are reached (the section `secrets` of a configuration). Each has a usual environment
 * variable or a default.
 */
export interface SecretsConfig {
  /** Milliseconds for which values of `exec`, `gcp`, `aws`, `vault`, `op` and `keychain` are kept; 0 keeps none. */
  readonly ttlMs: number
  readonly exec: Readonly<Record<string, SecretCommand>>
  readonly vault: VaultConfig
  /** `GOOGLE_CLOUD_PROJECT` when left out, else what the credentials or `gcloud` say. */
  readonly gcp: { readonly project?: string | undefined }
  /** What the AWS SDK finds by itself when left out. */
  readonly aws: { readonly region?: string | undefined; readonly profile?: string | undefined }
  /** The account of the 1Password CLI, when there are several. */
  readonly op: { readonly account?: string | undefined }
  /** Why a provider cannot be asked: its settings refer to what cannot be had. By its name, a command by `exec/NAME`. */
  readonly faults?: Readonly<Record<string, ConfigIssue>> | undefined
}

/** What holds where a configuration says nothing of secrets. */
export const DEFAULT_SECRETS: SecretsConfig = { ttlMs: SECRET_TTL_MS, exec: {}, vault: {}, gcp: {}, aws: {}, op: {} }
