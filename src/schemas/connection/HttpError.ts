/**
 * What can go wrong with an HTTP server, while connecting and at each request. Messages name the server and what to do. They contain no
 * secret and no stack.
 */
import * as Schema from "effect/Schema"
import { seconds, server, isOurs, key, findings } from "./ErrorFields.ts"

/** The server needs credentials that we do not have, or refuses those that we sent. */
export class AuthRequired extends Schema.TaggedError<AuthRequired>()("AuthRequired", {
  server,
  status: Schema.Finite,
  /**
   * For OAuth, what helps. `login`: a person has to log in. `later`: the failure is temporary. `config`: the configuration, or the
   * server's metadata, cannot be used.
   */
  remedy: Schema.optionalKey(Schema.Literals(["login", "later", "config"])),
  /** Why, in our own words. */
  detail: Schema.optionalKey(Schema.String),
  /** The words of the server or of its authorization server, cleaned. */
  said: Schema.optionalKey(Schema.String),
  /**
   * Whose account it waits for, where each person connects one of their own; `null` for the user at the terminal, whose login nobody else
   * uses.
   */
  account: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** A session brought the server: its entry is where the session comes from. */
  brought: Schema.optionalKey(Schema.Literal(true))
}) {
  get told() {
    return this.#messageWith("")
  }
  get words() {
    return this.said ?? ""
  }
  override get message() {
    return this.#messageWith(this.said === undefined ? "" : ` (${this.said})`)
  }
  #messageWith(said: string) {
    const why = this.detail === undefined ? "" : `: ${this.detail}${said}`
    switch (this.remedy) {
      case "login":
        if (typeof this.account === "string")
          return `MCP server '${this.server}' waits for a login${why}; the next call asks for it`
        if (this.account === null)
          return `MCP server '${this.server}' waits for a login: each person connects their own account. To log in for your own use at this terminal, run ${loginCommand(this.server)}`
        return `MCP server '${this.server}' needs a login${why}. Run: ${loginCommand(this.server)}`
      case "later":
        return `MCP server '${this.server}' cannot be authorized now${why}`
      case "config":
        return `MCP server '${this.server}' cannot be authorized${why}`
    }
    const where = this.brought === true ? "where this session has it from" : "in the config"
    return this.status === 403
      ? `MCP server '${this.server}' forbids what we ask (HTTP 403): the credentials for it ${where} may not do this, or are missing`
      : `MCP server '${this.server}' refused our credentials (HTTP ${this.status}); set an Authorization header for it ${where}`
  }
}

/** The server answered with an error status, or not at all. */
export class HttpFailed extends Schema.TaggedError<HttpFailed>()("HttpFailed", {
  server,
  /** `null` if there was no response. */
  status: Schema.NullOr(Schema.Finite),
  /** The server's own words, cleaned, unless `isOurs`. Without a response, the reason in our own words. */
  detail: Schema.String,
  isOurs,
  /** The server's `Retry-After`, within bounds. */
  retryAfterMs: Schema.optionalKey(Schema.Finite),
  findings
}) {
  get told() {
    if (this.status === null) return `MCP server '${this.server}' cannot be reached: ${this.detail}`
    const meaning = statusMeaning(this.status)
    const after = this.retryAfterMs === undefined ? "" : `; it may be asked again in ${seconds(this.retryAfterMs)}`
    const why = this.isOurs === true ? `: ${this.detail}` : ""
    return `MCP server '${this.server}' answered HTTP ${this.status}${meaning === "" ? "" : ` (${meaning})`}${after}${why}`
  }
  get words() {
    return this.status === null || this.isOurs === true ? "" : this.detail
  }
  override get message() {
    return this.told + (this.words.trim() === "" ? "" : `: ${this.words}`)
  }
}

/** An address that must not be contacted: nothing was sent there. */
export class AddressBlocked extends Schema.TaggedError<AddressBlocked>()("AddressBlocked", {
  server,
  /** What is at the address, in words. */
  leadsTo: Schema.String,
  /** The host that the server named, cleaned; `null` for the url in the configuration. */
  host: Schema.NullOr(Schema.String),
  /** Whether `allowPrivate` would allow it. */
  openable: Schema.Boolean,
  key
}) {
  get told() {
    return this.host === null
      ? this.message
      : `MCP server '${this.server}' sent us to an address that leads to ${this.leadsTo}: nothing was sent there`
  }
  get words() {
    return this.host ?? ""
  }
  override get message() {
    if (this.host !== null) {
      return `MCP server '${this.server}' sent us to '${this.host}', which leads to ${this.leadsTo}: nothing was sent there`
    }
    const set = this.key === undefined ? `set "allowPrivate": true on this server` : `set "${this.key}": true`
    const remedy = this.openable && this.key !== null ? `; ${set} if that is meant` : ""
    return `MCP server '${this.server}' was not contacted: its url leads to ${this.leadsTo}${remedy}`
  }
}

/** The server redirects to another place. A redirect is followed only within the origin that the operator wrote. */
export class RedirectBlocked extends Schema.TaggedError<RedirectBlocked>()("RedirectBlocked", {
  server,
  /** The target, cleaned and without its query. */
  target: Schema.String,
  detail: Schema.String
}) {
  get told() {
    return `MCP server '${this.server}' sends us to another address: not followed, ${this.detail}; if that is the server, use its address as "url"`
  }
  get words() {
    return this.target
  }
  override get message() {
    return `MCP server '${this.server}' sends us to ${this.target}: not followed, ${this.detail}; if that is the server, use its address as "url"`
  }
}

/** The command with which a person logs in. The name of the server is quoted for the shell if necessary. */
export const loginCommand = (server: string): string => `mcp-live login ${shellWord(server)}`

/** A text as one word of a shell command. */
export const shellWord = (text: string): string =>
  /^[\w./][\w./-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

/** What an HTTP status means, and what an operator can do about it. */
export function statusMeaning(status: number): string {
  switch (status) {
    case 404:
      return 'there is nothing at this address; check "url"'
    case 405:
      return 'this address does not take MCP requests; check "url" and "transport"'
    case 408:
      return "it did not wait for all of the request"
    case 429:
      return "it wants fewer requests"
    case 502:
    case 504:
      return "a gateway before it got no good answer from it"
    case 503:
      return "it is not available now"
    default:
      return status >= 500 ? "it failed on the request" : ""
  }
}
