/**
 * `secrets`: the settings of secret providers. All have a usual environment variable or a default, so most configurations
 * need none. Texts that say so may contain references.
 */
import * as Schema from "effect/Schema"
import { args, key, optional, required, scalars, text, whole } from "../config/Keys.ts"
import type { ConfigIssue } from "../config/ConfigIssue.ts"
import { hasSome, section } from "../config/Sections.ts"
import { member, membersOf } from "../config/Fields.ts"
import { nearest } from "../call/Names.ts"
import { TIMER_MAX_MS } from "../defaults/Configuration.ts"
import { SECRET_TTL_MS, VAULT_APPROLE_MOUNT } from "../defaults/Secrets.ts"
import { isObject } from "../data/Json.ts"
import { noted } from "../config/Notes.ts"

export const COMMAND = {
  command: required(
    text,
    "the program; a relative path counts from the config file, a name without a slash is looked up in `PATH`"
  ),
  args: key(args, [], "its arguments; started without a shell"),
  env: key(scalars, {}, "its variables, in addition to the base environment; may contain references (`env`, `file`)")
}

export const APP_ROLE = {
  roleId: required(text, "used instead of a token; may contain references like `token`"),
  secretId: required(text, "the secret of the role; may contain references"),
  mount: optional(text, VAULT_APPROLE_MOUNT, "the mount of AppRole")
}

export const VAULT = {
  address: optional(text, "`VAULT_ADDR`", "the URL of Vault or OpenBao"),
  namespace: optional(text, "`VAULT_NAMESPACE`, else none", "the namespace, for Vault Enterprise"),
  token: optional(
    text,
    "`VAULT_TOKEN`, else `~/.vault-token`",
    "the token; may contain references (`env`, `file`, `exec`, `keychain`)"
  ),
  appRole: optional(Schema.Struct(APP_ROLE), "`VAULT_ROLE_ID`, `VAULT_SECRET_ID`", "an alternative to a token")
}

/** The providers whose settings are a few plain texts. */
export const WORDS = {
  gcp: {
    project: optional(
      text,
      "`GOOGLE_CLOUD_PROJECT`, else that of the credentials",
      "the project of references that name none"
    )
  },
  aws: {
    region: optional(text, "as the AWS SDK finds it", "the region of AWS Secrets Manager"),
    profile: optional(text, "as the AWS SDK finds it", "the profile of the AWS credentials")
  },
  op: {
    account: optional(
      text,
      "the one that `op` is signed in to",
      "the account of the 1Password CLI, if there are several"
    )
  }
}

const KEYS = {
  ttlMs: key(
    noted(whole("a number of milliseconds, or 0 for no cache", 0, TIMER_MAX_MS), { written: "milliseconds" }),
    SECRET_TTL_MS,
    "how long values from a command, a network or a keychain are cached; 0: not at all"
  ),
  exec: key(Schema.Record(Schema.String, Schema.Struct(COMMAND)), {}, "the commands of `secret://exec/NAME`"),
  vault: key(Schema.Struct(VAULT), {}, "HashiCorp Vault or OpenBao: KV version 2 over HTTP"),
  gcp: key(Schema.Struct(WORDS.gcp), {}, "Google Secret Manager"),
  aws: key(Schema.Struct(WORDS.aws), {}, "AWS Secrets Manager"),
  op: key(Schema.Struct(WORDS.op), {}, "1Password")
}

/** The value of `secret://exec/NAME` is the standard output of this command, without one trailing line break. */
export interface SecretCommand extends Schema.Struct.Type<typeof COMMAND> {}

/** The settings of Vault. */
export interface VaultConfig extends Omit<Schema.Struct.Type<typeof VAULT>, "appRole"> {
  readonly appRole?: Required<Schema.Struct.Type<typeof APP_ROLE>>
}

/**
 * The settings of secret providers (the section `secrets` of a configuration). Each has a usual environment variable or a default.
 */
export interface SecretsConfig extends Omit<Schema.Struct.Type<typeof KEYS>, "vault"> {
  readonly vault: VaultConfig
  /** Why a provider cannot be used: its settings refer to something missing. By provider name; a command by `exec/NAME`. */
  readonly faults?: Readonly<Record<string, ConfigIssue>> | undefined
}

/** The section as it is written. */
export interface WrittenSecrets extends Schema.Struct.Encoded<typeof KEYS> {}

const OPENCLAW_KEYS = ["providers", "defaults", "resolution"]
const NAMES = Object.keys(KEYS)

export const SECRETS = section("secrets", KEYS, (value) => hasSome(value, NAMES))

/**
 * OpenClaw has its own top-level `secrets`, in another form. It is ignored, and so is what another program has under that
 * name next to `mcpServers`.
 */
export const isOthers = (root: Record<string, unknown>): boolean => {
  const value = member(root, "secrets")
  if (!isObject(value)) return !hasSome(root, ["servers"])
  if (hasSome(value, OPENCLAW_KEYS) && !hasSome(value, NAMES)) return true
  if (hasSome(root, ["servers"])) return false
  return !membersOf(value).some(([name]) => NAMES.includes(name) || nearest(name, NAMES) !== null)
}

/** The values when a configuration has no section `secrets`. */
export const DEFAULT_SECRETS: SecretsConfig = { ...SECRETS.defaults, vault: {} }
