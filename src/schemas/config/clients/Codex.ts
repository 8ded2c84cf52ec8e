/**
 * Codex: `mcp_servers` in config.toml. Source: github.com/openai/codex, codex-rs/config/src/mcp_types.rs. Codex takes the values of
 * variables from its environment where a key says so, and expands nothing in texts.
 */
import { isObject } from "../../data/Json.ts"
import { membersOf } from "../Fields.ts"
import { type Format, type Giving, renamed, same, seconds, type Taking } from "./Format.ts"
import { giveOAuth, takeOAuth } from "./OAuth.ts"
import { giveTools, takeIncluded } from "./Shared.ts"
import { SYNTAXES } from "./Variables.ts"

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** A text that is a variable for us and that Codex would not expand. It is set in our own words, so it is not escaped. */
const variable = (name: string) => `\${${name}}`

const takeVariables = ({ get, own, remark }: Taking): void => {
  for (const [i, item] of listOf(get("env_vars")).entries()) {
    const name: unknown = isObject(item) ? item["name"] : item
    if (typeof name === "string") own(["env", name], variable(name), ["env_vars", i])
    else remark(["env_vars", i], "must be the name of a variable")
  }
  const token = get("bearer_token_env_var")
  if (typeof token === "string")
    own(["headers", "Authorization"], `Bearer ${variable(token)}`, ["bearer_token_env_var"])
  const headers = get("env_http_headers")
  for (const [header, name] of isObject(headers) ? membersOf(headers) : []) {
    if (typeof name === "string") own(["headers", header], variable(name), ["env_http_headers", header])
  }
}

/** `prompt` asks the person before a call, which `tools.ask` does here. */
const takeApprovals = ({ get, put, remark }: Taking): void => {
  const whole = get("default_tools_approval_mode")
  const tools = get("tools")
  const modes = (isObject(tools) ? membersOf(tools) : []).map(
    ([tool, value]) => [tool, isObject(value) ? value["approval_mode"] : undefined] as const
  )
  const asked = modes.filter(([, mode]) => mode === "prompt").map(([tool]) => tool)
  if (whole === "prompt") put(["tools", "ask"], ["*"], ["default_tools_approval_mode"])
  else if (asked.length > 0) put(["tools", "ask"], asked, ["tools"])
  if (whole === "prompt" && modes.some(([, mode]) => mode !== "prompt")) {
    remark(["tools"], "tools that need no approval in Codex need one here, because the others do")
  }
}

const ONE_VARIABLE = /^\$\{([A-Za-z_]\w*)\}$/
const BEARER = /^Bearer \$\{([A-Za-z_]\w*)\}$/

/** The entries of an object whose values are one variable, and the others. */
const splitBy = (value: unknown, form: RegExp) => {
  const entries = isObject(value) ? membersOf(value) : []
  const named = entries.flatMap(([key, text]) => {
    const name = typeof text === "string" ? form.exec(text)?.[1] : undefined
    return name === undefined ? [] : [[key, name] as const]
  })
  const rest = entries.filter(([key]) => !named.some(([other]) => other === key))
  return { named, rest: rest.length === 0 ? undefined : Object.fromEntries(rest) }
}

const giveVariables = ({ get, leave, put, see, texts }: Giving): void => {
  const env = splitBy(get("env"), ONE_VARIABLE)
  const other = env.named.find(([key, name]) => key !== name)
  if (other !== undefined) leave(`it needs \${${other[1]}} under another name, which Codex cannot pass on`)
  if (env.named.length > 0) {
    put(
      "env_vars",
      env.named.map(([, name]) => name)
    )
  }
  put("env", texts(env.rest))
  const headers = see("headers")
  get("headers")
  const bearer = isObject(headers) ? membersOf(headers).find(([key]) => /^authorization$/i.test(key)) : undefined
  const token = typeof bearer?.[1] === "string" ? BEARER.exec(bearer[1])?.[1] : undefined
  if (token !== undefined) put("bearer_token_env_var", token)
  const others = isObject(headers) && token !== undefined ? { ...headers, [bearer![0]]: undefined } : headers
  const { named, rest } = splitBy(others, ONE_VARIABLE)
  if (named.length > 0) put("env_http_headers", Object.fromEntries(named))
  put("http_headers", texts(rest))
}

const giveApprovals = ({ get, lose, put }: Giving): void => {
  const asked = get("tools.ask")
  if (!Array.isArray(asked)) return
  const tools = asked.map(String)
  if (tools.includes("*")) put("default_tools_approval_mode", "prompt")
  else if (tools.some((tool) => /[*?]/.test(tool))) lose("tools.ask", "Codex takes exact names only")
  else put("tools", Object.fromEntries(tools.map((tool) => [tool, { approval_mode: "prompt" }])))
}

const OAUTH = { clientId: "client_id" }

export const codex: Format = {
  section: ["mcp_servers"],
  variables: SYNTAXES.none,
  pairs: [
    ...same("command", "args", "env", "cwd", "url", "enabled"),
    renamed("headers", "http_headers"),
    seconds("timeout", "startup_timeout_sec"),
    seconds("toolTimeout", "tool_timeout_sec")
  ],
  inert: {
    required: "a server that does not start never ends mcp-live",
    supports_parallel_tool_calls: "",
    name: "",
    experimental_environment: "mcp-live runs servers on this machine",
    oauth_resource: "mcp-live takes the resource from the server",
    bearer_token: "Codex does not accept it either"
  },
  take: (taking) => {
    const { get, put } = taking
    takeVariables(taking)
    if (taking.see("startup_timeout_sec") === undefined) {
      put(["timeout"], taking.see("startup_timeout_ms"), ["startup_timeout_ms"])
    }
    get("startup_timeout_ms")
    takeIncluded(taking, "enabled_tools")
    put(["tools", "exclude"], get("disabled_tools"), ["disabled_tools"])
    takeApprovals(taking)
    takeOAuth(taking, "oauth", OAUTH)
    const scopes = get("scopes")
    if (scopes === undefined) return
    put(["auth", "type"], "oauth", ["scopes"])
    put(["auth", "scopes"], scopes, ["scopes"])
  },
  give: (giving) => {
    const { get, lose, put, see } = giving
    if (get("transport") === "sse") lose("transport", "Codex speaks Streamable HTTP")
    giveVariables(giving)
    giveTools(giving, "include", "enabled_tools")
    giveTools(giving, "exclude", "disabled_tools")
    giveApprovals(giving)
    const auth = see("auth")
    if (isObject(auth) && Array.isArray(auth["scopes"])) put("scopes", auth["scopes"])
    giveOAuth(giving, "oauth", OAUTH, ["scopes"])
  }
}
