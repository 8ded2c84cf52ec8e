/** A login at a server that a person begins from a page. */
import * as Schema from "effect/Schema"

/** What happens during a login, in order. */
export const LoginEvent = Schema.Union([
  /** Open the address in a browser of this machine. It comes from the server; it is `https:`, or `http:` on this machine. */
  Schema.TaggedStruct("Page", { url: Schema.String, issuer: Schema.String, scopes: Schema.Array(Schema.String) }),
  /** The person has logged in. The server is started again by itself. */
  Schema.TaggedStruct("Granted", {
    issuer: Schema.String,
    scopes: Schema.Array(Schema.String),
    /** Milliseconds since the epoch; missing when the server does not say. */
    expiresAt: Schema.optionalKey(Schema.Finite)
  })
])
export type LoginEvent = typeof LoginEvent.Type

/** The address of the page, for a browser of this machine. */
export const PageAddress = Schema.Struct({
  /** Good for one use, and for a short time. */
  url: Schema.String
})
export type PageAddress = typeof PageAddress.Type

/** The page cannot be served. */
export class PageUnavailable extends Schema.TaggedError<PageUnavailable>()("PageUnavailable", {
  detail: Schema.String
}) {
  override get message() {
    return `the page cannot be opened: ${this.detail}`
  }
}
