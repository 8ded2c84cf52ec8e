/**
 * Goose: `extensions` in config.yaml. Source: github.com/block/goose, crates/goose/src/agents/extension.rs (ExtensionConfig) and
 * documentation/docs/guides/config-files.md. Values of `env_keys` are in Goose's own keyring.
 */
import { isObject } from "../../data/Json.ts"
import { membersOf, show } from "../Fields.ts"
import { type Format, old, renamed, same, seconds, type Taking } from "./Format.ts"
import { giveOAuth } from "./OAuth.ts"
import { giveTools, takeIncluded } from "./Shared.ts"
import { mapTexts, SYNTAXES, writeText } from "./Variables.ts"

/** Parts of Goose itself. */
const OWN: Readonly<Record<string, string>> = {
  builtin: "it is a part of Goose",
  platform: "it is a part of Goose",
  frontend: "it is a part of Goose's window",
  inline_python: "Goose runs its Python code itself"
}

const takeType = ({ get, leave, put }: Taking): void => {
  const type = get("type")
  if (typeof type === "string" && Object.hasOwn(OWN, type)) return leave(OWN[type]!, "type")
  if (type === "sse") put(["transport"], "sse", ["type"])
  else if (type !== "stdio" && type !== "streamable_http") leave(`its type ${show(type)} is not known`, "type")
}

const takeKeys = ({ get, own, remark, see }: Taking): void => {
  const names = get("env_keys")
  const isRemote = see("uri") !== undefined
  for (const [i, name] of (Array.isArray(names) ? names : []).entries()) {
    if (typeof name !== "string" || isRemote) continue
    own(["env", name], `\${${name}}`, ["env_keys", i])
    remark(["env_keys", i], `Goose keeps ${name} in its keyring: set the environment variable ${name}`)
  }
}

/** In headers, Goose puts in its variables. */
const takeHeaders = ({ get, own }: Taking): void => {
  const headers = get("headers")
  for (const [name, value] of isObject(headers) ? membersOf(headers) : []) {
    own(["headers", name], typeof value === "string" ? value.replace(/\$([A-Za-z_]\w*)/g, "${$1}") : value, [
      "headers",
      name
    ])
  }
}

const ONE_VARIABLE = /^\$\{([A-Za-z_]\w*)\}$/

export const goose: Format = {
  section: ["extensions"],
  variables: SYNTAXES.none,
  pairs: [
    ...same("args", "enabled"),
    old("cwd", "cwd"),
    renamed("command", "cmd"),
    renamed("url", "uri"),
    renamed("env", "envs"),
    seconds("toolTimeout", "timeout")
  ],
  inert: {
    name: "",
    display_name: "",
    description: "",
    bundled: "",
    socket: "mcp-live reaches no server over a local socket"
  },
  take: (taking) => {
    takeType(taking)
    takeKeys(taking)
    takeHeaders(taking)
    if (taking.see("uri") !== undefined) taking.get("envs")
    takeIncluded(taking, "available_tools", true)
  },
  give: (giving) => {
    const { get, isRemote, leave, name, put, see, texts } = giving
    if (get("transport") === "sse") leave("Goose has no SSE any more")
    put("type", isRemote ? "streamable_http" : "stdio")
    put("enabled", see("enabled") !== false)
    get("enabled")
    put("name", name)
    if (!isRemote && see("args") === undefined) put("args", [])
    const env = Object.entries(isObject(see("env")) ? (see("env") as object) : {})
    get("env")
    const keys = env.filter(([, value]) => typeof value === "string" && ONE_VARIABLE.test(value))
    const other = keys.find(([key, value]) => ONE_VARIABLE.exec(String(value))?.[1] !== key)
    if (other !== undefined) leave(`it needs ${String(other[1])} under another name, which Goose cannot pass on`)
    const rest = env.filter(([key]) => !keys.some(([one]) => one === key))
    put("envs", texts(Object.fromEntries(rest)))
    const headers = get("headers")
    const used = JSON.stringify(headers ?? {}).matchAll(/\$\{([A-Za-z_]\w*)\}/g)
    put("env_keys", [...keys.map(([key]) => key), ...[...used].map(([, name]) => name)])
    put(
      "headers",
      mapTexts(headers, (text) => writeText(SYNTAXES.plain, text))
    )
    giveTools(giving, "include", "available_tools")
    giveOAuth(giving, undefined, {})
  }
}
