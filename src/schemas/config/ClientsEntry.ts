/** Checks `clients` after its keys are decoded: the agents of issuers, and the secrets by which this gateway asks them. */
import { CLIENTS, type ClientsConfig, type IssuerConfig } from "../login/ClientsConfig.ts"
import { warnOfPlaintext } from "./Credentials.ts"
import type { KeyPath } from "./KeyPath.ts"
import type { WholeReport } from "./Report.ts"
import { refuseMask, resolveText, type Surroundings } from "./Resolve.ts"
import { type Place, readSection } from "./Sections.ts"

const readIssuer = (
  report: WholeReport,
  { env }: Surroundings,
  agents: ReadonlyArray<string>,
  path: KeyPath,
  issuer: IssuerConfig
): IssuerConfig => {
  const { agent, introspection, login } = issuer
  if (agent !== undefined && !agents.includes(agent)) {
    report.error([...path, "agent"], `is not an agent of this configuration; there are: ${agents.join(", ")}`)
  }
  const secretAt = (place: "introspection" | "login", value: string): string => {
    const secret = { path: [...path, place, "clientSecret"], value }
    warnOfPlaintext(report, secret)
    const resolved = resolveText(report, env, true, secret)
    refuseMask(report, resolved, "secret")
    return resolved.text
  }
  return {
    ...issuer,
    ...(introspection && {
      introspection: { ...introspection, clientSecret: secretAt("introspection", introspection.clientSecret) }
    }),
    ...(login?.clientSecret !== undefined && {
      login: { ...login, clientSecret: secretAt("login", login.clientSecret) }
    })
  }
}

export const readClients = (
  report: WholeReport,
  context: Surroundings,
  agents: ReadonlyArray<string>,
  place: Place | undefined
): ClientsConfig => {
  const clients = readSection(report, CLIENTS, place)
  if (place === undefined) return clients
  const names = clients.issuers.map(({ issuer }) => issuer)
  return {
    ...clients,
    issuers: clients.issuers.map((issuer, i) => {
      const path = [...place.path, "issuers", i]
      if (names.indexOf(issuer.issuer) < i) report.error([...path, "issuer"], "is listed twice")
      return readIssuer(report, context, agents, path, issuer)
    })
  }
}
