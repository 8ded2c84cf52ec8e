/** The command line of the bench. */
import { parseArgs } from "node:util"
import { CLIENTS, type ClientName } from "./clients/subject.ts"
import { TRANSPORTS, type TransportName } from "./scenarios.ts"

export interface Options {
  /** Of the names of scenarios; the classes and ids of the catalogue count too. */
  readonly only: RegExp | undefined
  readonly clients: ReadonlyArray<ClientName>
  readonly transports: ReadonlyArray<TransportName>
  readonly json: string | undefined
  readonly help: boolean
}

export const HELP = `npm run bench:hostile [-- OPTIONS]

Plays the hostile server's scenarios to the SDK v1 client, the SDK v2 client and mcp-live, and prints what became of them.
The whole of it is written into docs/hostile.md and bench/results/hostile.json; a part of it is only printed.

  --only GLOB       scenarios whose name, class or id match, for example 'gzip*', HTTP or 'PROC-*'
  --client NAME     ${CLIENTS.join(", ")}; can be given several times
  --transport NAME  stdio or http alone
  --json FILE       also writes the results there
  --help
`

const globOf = (glob: string): RegExp =>
  new RegExp(
    `^${glob
      .replace(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
      .replaceAll("*", ".*")
      .replaceAll("?", ".")}$`,
    "i"
  )

const isClient = (name: string): name is ClientName => (CLIENTS as ReadonlyArray<string>).includes(name)

export const readOptions = (args: ReadonlyArray<string>): Options => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: "string" },
      client: { type: "string", multiple: true },
      transport: { type: "string" },
      json: { type: "string" },
      help: { type: "boolean" }
    }
  })
  const clients = values.client ?? CLIENTS
  const unknown = clients.find((name) => !isClient(name))
  if (unknown !== undefined) throw new Error(`no client '${unknown}': ${CLIENTS.join(", ")}`)
  if (values.transport !== undefined && !TRANSPORTS.some((name) => name === values.transport)) {
    throw new Error(`no transport '${values.transport}': ${TRANSPORTS.join(", ")}`)
  }
  return {
    transports: TRANSPORTS.filter((name) => values.transport === undefined || name === values.transport),
    only: values.only === undefined ? undefined : globOf(values.only),
    clients: CLIENTS.filter((name) => clients.includes(name)),
    json: values.json,
    help: values.help === true
  }
}
