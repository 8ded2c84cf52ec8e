/**
 * `secrets`: how the providers of secrets are reached. Everything here has a usual environment variable or a default, so that
 * most configurations need nothing of it. Texts marked so may themselves hold references.
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
  command: required(text, "the program; a relative path counts from the config file, without a slash from `PATH`"),
  args: key(args, [], "its arguments; started without a shell"),
  env: key(scalars, {}, "its variables, beside the base environment; may hold references (`env`, `file`)")
}

export const APP_ROLE = {
  roleId: required(text, "in place of a token; may hold references as `token`"),
  secretId: required(text, "may hold references, too"),
  mount: optional(text, VAULT_APPROLE_MOUNT, "where AppRole is mounted")
}

export const VAULT = {
  address: optional(text, "`VAULT_ADDR`", "where Vault or OpenBao is"),
  namespace: optional(text, "`VAULT_NAMESPACE`, else none", "of Vault Enterprise"),
  token: optional(
    text,
    "`VAULT_TOKEN`, else `~/.vault-token`",
    "may hold references (`env`, `file`, `exec`, `keychain`)"
  ),
  appRole: optional(Schema.Struct(APP_ROLE), "`VAULT_ROLE_ID`, `VAULT_SECRET_ID`", "another way in than a token")
}

/** The providers that take nothing but a few plain words. */
export const WORDS = {
  gcp: {
    project: optional(text, "`GOOGLE_CLOUD_PROJECT`, else what the credentials say", "of references without a project")
  },
  aws: {
    region: optional(text, "what the AWS SDK finds", "where AWS Secrets Manager is asked"),
    profile: optional(text, "what the AWS SDK finds", "of the AWS credentials")
  },
  op: { account: optional(text, "the one that `op` is signed in to", "of the 1Password CLI, when there are several") }
}

const KEYS = {
  ttlMs: key(
    noted(whole("a number of milliseconds, or 0 to keep nothing", 0, TIMER_MAX_MS), { written: "milliseconds" }),
    SECRET_TTL_MS,
    "how long values from a command, a network or a keychain are cached; 0: not at all"
  ),
  exec: key(Schema.Record(Schema.String, Schema.Struct(COMMAND)), {}, "the commands of `secret://exec/NAME`"),
  vault: key(Schema.Struct(VAULT), {}, "HashiCorp Vault or OpenBao: KV version 2 over HTTP"),
  gcp: key(Schema.Struct(WORDS.gcp), {}, "Google Secret Manager"),
  aws: key(Schema.Struct(WORDS.aws), {}, "AWS Secrets Manager"),
  op: key(Schema.Struct(WORDS.op), {}, "1Password")
}

/** `secret://exec/NAME` is what this command writes to its standard output, without one line break at the end. */
export interface SecretCommand extends Schema.Struct.Type<typeof COMMAND> {}

/** Where Vault is. */
export interface VaultConfig extends Omit<Schema.Struct.Type<typeof VAULT>, "appRole"> {
  readonly appRole?: Required<Schema.Struct.Type<typeof APP_ROLE>>
}

/**
 * How the providers of secrets are reached (the section `secrets` of a configuration). Each has a usual environment
 * variable or a default.
 */
export interface SecretsConfig extends Omit<Schema.Struct.Type<typeof KEYS>, "vault"> {
  readonly vault: VaultConfig
  /** Why a provider cannot be asked: its settings refer to what cannot be had. By its name, a command by `exec/NAME`. */
  readonly faults?: Readonly<Record<string, ConfigIssue>> | undefined
}

/** The section as it is written. */
export interface WrittenSecrets extends Schema.Struct.Encoded<typeof KEYS> {}

const OPENCLAW_KEYS = ["providers", "defaults", "resolution"]
const NAMES = Object.keys(KEYS)

export const SECRETS = section("secrets", KEYS, (value) => hasSome(value, NAMES))

/**
 * OpenClaw has a top-level `secrets` of its own, in another shape. It is left alone, and so is whatever another program keeps
 * under that name beside `mcpServers`.
 */
export const isOthers = (root: Record<string, unknown>): boolean => {
  const value = member(root, "secrets")
  if (!isObject(value)) return !hasSome(root, ["servers"])
  if (hasSome(value, OPENCLAW_KEYS) && !hasSome(value, NAMES)) return true
  if (hasSome(root, ["servers"])) return false
  return !membersOf(value).some(([name]) => NAMES.includes(name) || nearest(name, NAMES) !== null)
}

/** What holds where a configuration says nothing of secrets. */
export const DEFAULT_SECRETS: SecretsConfig = { ...SECRETS.defaults, vault: {} }
