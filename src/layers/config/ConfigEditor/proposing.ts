/** Servers that a person adds from elsewhere: by a command, an address, or the name of one in a registry. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { homedir } from "node:os"
import { prefixKey } from "../../../schemas/call/Names.ts"
import type { Entry } from "../../../schemas/config/clients/ImportPlan.ts"
import { addServer, isTaken } from "../../../schemas/config/EditServers.ts"
import type { GatewayConfig } from "../../../schemas/config/GatewayConfig.ts"
import { entryOfAddress, entryOfCommand, isWebAddress } from "../../../schemas/config/GivenEntry.ts"
import { problemWith, type Question, readsSecrets, typed } from "../../../schemas/config/Question.ts"
import { listedName, listedTitle, otherKinds } from "../../../schemas/config/registry/Listing.ts"
import { type LaunchOffer, offersOf } from "../../../schemas/config/registry/Offers.ts"
import { NAMED } from "../../../schemas/config/registry/ServerJson.ts"
import { serverNameProblem } from "../../../schemas/config/ServerBuild.ts"
import {
  ConfigRefused,
  type Proposal,
  type ProposedQuestion,
  type ProposedServer
} from "../../../schemas/control/ConfigFile.ts"
import type { ServerRegistry } from "../../../services/config/ServerRegistry.ts"

/** A proposal for the text with its secrets. */
export type Open = Proposal

type Listed = Extract<ProposedServer, { readonly _tag: "Listed" }>

const refused = (reason: ConfigRefused["reason"], detail: string) => new ConfigRefused({ reason, detail })

interface Found {
  readonly name: string
  readonly about: ReadonlyArray<string>
  readonly unusual: ReadonlyArray<string>
  readonly questions: ReadonlyArray<Question>
  /** Missing while something must be answered. */
  readonly entry: Entry | undefined
}

const plain = (name: string, entry: Result.Result<Entry, string>) =>
  Result.isFailure(entry)
    ? refused("unknown", entry.failure)
    : Effect.succeed<Found>({ name, about: [], unusual: [], questions: [], entry: entry.success })

const askedOf = ({ choices, description, key, preset, required, secret, title }: Question): ProposedQuestion => ({
  key,
  about: [title, description].filter((part) => part !== "").join(": "),
  isRequired: required,
  isSecret: secret,
  ...(preset.length === 0 || secret ? {} : { default: preset.join(", ") }),
  ...(choices.length === 0 ? {} : { choices })
})

/** What is wrong with the answers; nothing is asked twice, so a missing one only leaves the entry open. */
const answerProblem = (questions: ReadonlyArray<Question>, values: Listed["values"]): string | undefined => {
  for (const [key, value] of Object.entries(values)) {
    const question = questions.find((one) => one.key === key)
    if (question === undefined) return `the server does not ask for ${key}`
    const problem = problemWith(question, value)
    if (problem !== undefined) return `${key}: the value ${problem}`
    if (question.secret && !typed(value).isReference) {
      return `${key} is a secret: store it as one, and give the reference, such as secret://file/${key.toLowerCase()}`
    }
  }
  return undefined
}

const answersOf = ({ questions }: LaunchOffer, values: Listed["values"]) =>
  new Map(
    questions.flatMap(({ key, preset }) => {
      const given = Object.hasOwn(values, key) ? [values[key]!] : preset.filter((text) => !readsSecrets(text))
      return given.length === 0 ? [] : [[key, given.map(typed)] as const]
    })
  )

const listed = Effect.fnUntraced(function* ({ name, values, what }: Listed, registry: ServerRegistry["Service"]) {
  const { name: own = "", version } = NAMED.exec(what)?.groups ?? {}
  if (own === "") {
    return yield* refused("unknown", "give the name of a server of the registry, such as io.github.user/server")
  }
  const { server, warning } = yield* Effect.mapError(
    registry.find(own, version === "latest" ? undefined : version),
    ({ message }) => refused("unknown", message)
  )
  const { offers, refused: not } = offersOf(server)
  const offer = offers.find((one) => one._tag === "Launch")
  if (offer === undefined) {
    const none = not.map(({ label, reason }) => `; ${label}: it ${reason}`).join("")
    const bundle =
      offers.length > 0 ? `add it at the terminal: mcp-live add ${own}` : "it offers nothing that can be started"
    return yield* refused("unknown", `'${own}': ${bundle}${none}`)
  }
  const problem = answerProblem(offer.questions, values)
  if (problem !== undefined) return yield* refused("unknown", problem)
  const others = otherKinds(offers, offer)
  const about = [
    listedTitle(server),
    `as: ${offer.label}${others.length === 0 ? "" : ` (also as ${others.join(", ")})`}`,
    ...(warning === undefined ? [] : [warning]),
    ...offer.remarks
  ]
  const answers = answersOf(offer, values)
  const isOpen = offer.questions.some(({ key, required }) => required && !answers.has(key))
  const built = isOpen ? undefined : offer.build(answers)
  if (built !== undefined && Result.isFailure(built)) {
    return yield* refused("unknown", `it cannot be added: ${built.failure}`)
  }
  const found: Found = {
    name: name ?? listedName(own),
    about,
    unusual: offer.unusual,
    questions: offer.questions,
    entry: built?.success
  }
  return found
})

const found = (server: ProposedServer, registry: ServerRegistry["Service"]): Effect.Effect<Found, ConfigRefused> => {
  switch (server._tag) {
    case "Command": {
      const { cwd, env, name, words } = server
      return plain(name, entryOfCommand({ words, env, cwd, here: homedir(), isThere: () => false }))
    }
    case "Address":
      return isWebAddress(server.url)
        ? plain(server.name, entryOfAddress(server))
        : Effect.fail(refused("unknown", "the address must be an http or https address"))
    case "Listed":
      return listed(server, registry)
  }
}

/** Servers whose tools would have the same prefix. */
const notesOf = ({ agents }: GatewayConfig, name: string): ReadonlyArray<string> => {
  const servers = agents.flatMap((agent) => agent.servers)
  const keys = new Set(servers.filter((one) => one.name === name).map(({ toolPrefix }) => prefixKey(toolPrefix)))
  const same = servers.filter((one) => one.name !== name && keys.has(prefixKey(one.toolPrefix)))
  return [...new Set(same.map((one) => one.name))].map(
    (other) => `the names of its tools begin like those of '${other}', and rules for one match both`
  )
}

/** `text` is the text with its secrets, as is that of the result. */
export const propose = Effect.fnUntraced(function* (
  text: string,
  path: string,
  server: ProposedServer,
  registry: ServerRegistry["Service"]
) {
  const { about, entry, name, questions, unusual } = yield* found(server, registry)
  const problem = serverNameProblem(name)
  if (problem !== undefined) return yield* refused("name", `'${name}': ${problem}`)
  if (isTaken(text, name))
    return yield* refused("name", `there is a server '${name}' already: give this one another name`)
  const open: Open = { name, about, unusual, questions: questions.map(askedOf), notes: [] }
  if (entry === undefined) return open
  const edit = addServer(text, { path, env: process.env, home: homedir() }, name, entry)
  if (Result.isFailure(edit)) return yield* refused("invalid", edit.failure)
  return { ...open, text: edit.success.text, notes: notesOf(edit.success.config, name) }
})
