/** Every key that the section `secrets` may have, for its reader and for the reference page. A dot leads to a key inside. */
import { SECRET_TTL_MS, VAULT_APPROLE_MOUNT } from "../defaults/Secrets.ts"

export interface SecretsKeyDoc {
  readonly type: string
  /** As a reader would write it; what is asked for when the key is left out. */
  readonly fallback: string
  readonly about: string
}

const key = (type: string, fallback: string, about: string): SecretsKeyDoc => ({ type, fallback, about })

export const SECRETS_KEYS = {
  ttlMs: key(
    "milliseconds",
    `${SECRET_TTL_MS}`,
    "for which values are kept that a command, a network or a keychain was asked for; 0 keeps none"
  ),
  exec: key("{ name: { command, args?, env? } }", "{}", "the commands of `secret://exec/NAME`"),
  "exec.NAME.command": key(
    "string",
    "",
    "the program; a relative path counts from the config file, without a slash from `PATH`"
  ),
  "exec.NAME.args": key("string[]", "[]", "its arguments; started without a shell"),
  "exec.NAME.env": key(
    "{ name: string }",
    "{}",
    "its variables, beside the base environment; may hold references (`env`, `file`)"
  ),
  "vault.address": key("string", "`VAULT_ADDR`", "where Vault or OpenBao is"),
  "vault.namespace": key("string", "`VAULT_NAMESPACE`, else none", "of Vault Enterprise"),
  "vault.token": key(
    "string",
    "`VAULT_TOKEN`, else `~/.vault-token`",
    "may hold references (`env`, `file`, `exec`, `keychain`)"
  ),
  "vault.appRole.roleId": key("string", "`VAULT_ROLE_ID`", "in place of a token; may hold references as `token`"),
  "vault.appRole.secretId": key("string", "`VAULT_SECRET_ID`", "the same"),
  "vault.appRole.mount": key("string", VAULT_APPROLE_MOUNT, "where AppRole is mounted"),
  "gcp.project": key(
    "string",
    "`GOOGLE_CLOUD_PROJECT`, else what the credentials say",
    "of references without a project"
  ),
  "aws.region": key("string", "what the AWS SDK finds", ""),
  "aws.profile": key("string", "what the AWS SDK finds", ""),
  "op.account": key("string", "the one that `op` is signed in to", "of the 1Password CLI, when there are several")
} satisfies Record<string, SecretsKeyDoc>

/** The keys directly inside `prefix` (`vault`), or at the top of the section. */
export const secretsKeysIn = (prefix: string): ReadonlyArray<string> => {
  const inside = prefix === "" ? "" : `${prefix}.`
  const names = Object.keys(SECRETS_KEYS).filter((name) => name.startsWith(inside))
  return [...new Set(names.map((name) => name.slice(inside.length).split(".")[0]!))]
}
