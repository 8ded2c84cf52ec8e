/** Checks `serve` after its keys are decoded: the tokens of its clients, and the rules between them. */
import { isObject } from "../data/Json.ts"
import { SERVE, type ServeClientConfig, type ServeConfig } from "../listener/ServeConfig.ts"
import { isUsableToken, USABLE_TOKEN } from "../listener/ClientToken.ts"
import { isMaskedText } from "../secret/MaskedText.ts"
import { SECRET_SCHEME } from "../secret/SecretReference.ts"
import { warnOfPlaintext } from "./Credentials.ts"
import { expandKeys } from "./ExpandedKeys.ts"
import { member } from "./Fields.ts"
import type { KeyPath } from "./KeyPath.ts"
import type { WholeReport } from "./Report.ts"
import { refuseMask, resolveText, type Surroundings } from "./Resolve.ts"
import { type Place, readSection } from "./Sections.ts"

/** The resolved token. An incomplete client is checked as well, so that everything is reported at once. What a reference stands for is not known here. */
const readToken = (
  whole: WholeReport,
  { env }: Surroundings,
  path: KeyPath,
  value: unknown,
  known: ReadonlyArray<string>
): Pick<ServeClientConfig, "token" | "fault"> => {
  if (typeof value !== "string") return { token: "" }
  const report = whole.ofPart()
  const token = { path, value }
  warnOfPlaintext(report, token)
  const resolved = resolveText(report, env, true, token)
  refuseMask(report, resolved, "token")
  const { complete, text } = resolved
  if (complete && !text.includes(SECRET_SCHEME) && !isMaskedText(text, "token") && !isUsableToken(text))
    report.unmet(path, `is no token that can be used: it needs ${USABLE_TOKEN}`)
  if (complete && known.includes(text)) report.unmet(path, "is the token of another client, too: give each its own")
  const fault = report.fault()
  return { token: resolved.text, ...(fault !== undefined && { fault }) }
}

export const readServe = (
  report: WholeReport,
  context: Surroundings,
  agents: ReadonlyArray<string>,
  place: Place | undefined
): ServeConfig => {
  const serve = readSection(report, SERVE, expandKeys(report, context.env, place, ["host", "hosts", "origins"]))
  const raw = isObject(place?.value) ? member(place.value, "clients") : undefined
  const names = new Set<unknown>()
  const tokens: Array<Pick<ServeClientConfig, "token" | "fault">> = []
  for (const [i, client] of (Array.isArray(raw) ? (raw as ReadonlyArray<unknown>) : []).entries()) {
    if (place === undefined || !isObject(client)) {
      tokens.push({ token: "" })
      continue
    }
    const path = [...place.path, "clients", i]
    const [name, agent] = [member(client, "name"), member(client, "agent")]
    if (typeof name === "string" && names.has(name)) {
      report.error([...path, "name"], "is the name of another client, too")
    }
    names.add(name)
    if (typeof agent === "string" && !agents.includes(agent)) {
      report.error([...path, "agent"], `is not an agent of this configuration; there are: ${agents.join(", ")}`)
    }
    const known = tokens.map(({ token }) => token)
    tokens.push(readToken(report, context, [...path, "token"], member(client, "token"), known))
  }
  return { ...serve, clients: serve.clients.map((client, i) => ({ ...client, ...tokens[i] })) }
}
