/** What errors of PostgreSQL mean: that it is away, that others were in the way, or that the address is wrong. */
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { FleetRefused } from "../../../schemas/fleet/FleetError.ts"

/** The five letters with which PostgreSQL says what is wrong, or those of the system. */
export const codeOf = ({ reason }: SqlError): string => {
  const { cause } = reason as { readonly cause?: unknown }
  const code = (cause as { readonly code?: unknown } | undefined)?.code
  return typeof code === "string" ? code : ""
}

/** Connections, resources, an administrator who stops it, a replica that cannot be written to, its disk. */
const AWAY = /^(?:08|53|57P|58|25006)/

/** Nothing can be done with the database now. */
export const meansAway = (error: SqlError): boolean =>
  error.reason._tag === "ConnectionError" || error.reason._tag === "AuthenticationError" || AWAY.test(codeOf(error))

/** This process was too slow in the middle of a transaction, which was ended for that. */
const WAS_IDLE = "25P03"

/** It answers, and this statement took too long or met others. */
export const meansBusy = (error: SqlError): boolean =>
  ["StatementTimeoutError", "LockTimeoutError", "DeadlockError", "SerializationError"].includes(error.reason._tag) ||
  codeOf(error) === WAS_IDLE

/** Others were in the way of a transaction: it may be run again. */
export const meansAgain = (error: SqlError): boolean =>
  error.reason._tag === "DeadlockError" || error.reason._tag === "SerializationError"

/** A value that a column does not take, or a row that breaks a rule or has no table for its day: the same each time. */
const REFUSED = /^2[23]/

/** Whether it is the data of a statement that cannot be written, and not the statement. */
export const meansRefused = (defect: unknown): boolean => isSqlError(defect) && REFUSED.test(codeOf(defect))

/** Where the database is, without user and password. */
export const placeOf = (url: string): { readonly at: string; readonly name: string } | undefined => {
  if (!URL.canParse(url)) return undefined
  const { host, pathname, protocol } = new URL(url)
  if (!/^postgres(?:ql)?:$/.test(protocol)) return undefined
  return { at: host === "" ? "localhost:5432" : host, name: decodeURIComponent(pathname.slice(1)) }
}

export const NO_ADDRESS =
  "`fleet.database` is not the address of a database: it is written postgres://user:password@host:5432/name"

const SYSTEM: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "the name is unknown",
  EAI_AGAIN: "the name cannot be looked up now",
  EHOSTUNREACH: "there is no way to this host",
  ENETUNREACH: "there is no way to this network",
  ECONNRESET: "it ended the connection"
}

/** One sentence for whoever starts a node. */
export const refusal = (url: string, error: SqlError): FleetRefused => {
  const place = placeOf(url)
  const { at, name } = place ?? { at: "", name: "" }
  const code = codeOf(error)
  const said = (detail: string) => new FleetRefused({ detail })
  if (place === undefined) return said(NO_ADDRESS)
  if (code === "3D000") return said(`there is no database '${name}' at ${at}: create it, or correct \`fleet.database\``)
  if (code === "42501") {
    return said(
      `the user of \`fleet.database\` may not create tables in '${name}' at ${at}: grant CREATE on the database to it`
    )
  }
  if (error.reason._tag === "AuthenticationError" || code.startsWith("28")) {
    return said(`the database at ${at} refuses the user or the password of \`fleet.database\`: correct them`)
  }
  if (code === "53300") {
    return said(
      `the database at ${at} has no connection left: raise its \`max_connections\`, or lower \`fleet.connections\``
    )
  }
  if (meansAway(error)) {
    const why = SYSTEM[code] ?? (code === "57P03" ? "it is starting or stopping" : "it does not answer")
    return said(`the database at ${at} cannot be reached (${why}): start it, or correct \`fleet.database\``)
  }
  const { cause } = error.reason as { readonly cause?: { readonly message?: string } }
  return said(`the tables in '${name}' at ${at} cannot be used: ${cause?.message ?? error.message}`)
}
