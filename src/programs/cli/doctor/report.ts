/** `doctor --report FILE`: writes one file for a bug report, readable by this user only. */
import * as Effect from "effect/Effect"
import { hostname, release, userInfo, homedir, arch, platform } from "node:os"
import { constants } from "node:fs"
import { access, lstat, writeFile } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import { VERSION } from "../../../schemas/data/Version.ts"
import type { Facts } from "../../../schemas/doctor/Facts.ts"
import type { Finding } from "../../../schemas/doctor/Finding.ts"
import {
  anonymous,
  hiddenValues,
  mapTexts,
  maskedServer,
  READ_FIRST,
  renderReport,
  type Section
} from "../../../schemas/doctor/Report.ts"
import { Redactor } from "../../../services/content/Redactor.ts"
import { codeOf, fileSystemSays, isMissing } from "../../../system/ownFiles.ts"
import { EXIT_FAILED, ExitWith } from "../command.ts"
import { masked, redactorLayer } from "../masking.ts"
import { complain } from "../output.ts"
import type { Gathered } from "./gather.ts"

/** In a container the system may not know the user. */
const userName = (): string => {
  try {
    return userInfo().username
  } catch {
    return ""
  }
}

const versionsOf = ({ servers }: Facts): ReadonlyArray<string> => {
  const runtimes = new Map(
    servers.flatMap(({ runtime }) => (runtime === undefined ? [] : [[runtime.name, runtime.version ?? "unknown"]]))
  )
  return [
    `mcp-live ${VERSION}`,
    `Node ${process.versions.node}`,
    `${platform()} ${release()} ${arch()}`,
    ...[...runtimes].map(([name, version]) => `${name} ${version} (on PATH)`)
  ]
}

const sectionsOf = ({ facts, gateway }: Gathered, findings: ReadonlyArray<Finding>): ReadonlyArray<Section> => {
  const { data, file, servers } = facts
  return [
    { title: "Versions", content: versionsOf(facts) },
    { title: "Configuration", content: [file ?? "none"] },
    { title: "Servers", content: servers.map(({ config }) => maskedServer(config)) },
    {
      title: "Gateway",
      content:
        gateway === undefined
          ? ["none is running: servers were started once, or not at all"]
          : [`${gateway.kind} ${gateway.version}, since ${new Date(gateway.startedAt).toISOString()}`]
    },
    {
      title: "Status",
      content: Object.fromEntries(servers.map(({ config, status }) => [config.name, status ?? "unknown"]))
    },
    {
      title: "Addresses",
      content: Object.fromEntries(
        servers.flatMap(({ address, config }) => (address === undefined ? [] : [[config.name, address]]))
      )
    },
    {
      title: "Data directory",
      content: { path: data.path, writable: data.writable, freeBytes: data.freeBytes ?? null }
    },
    {
      title: "Findings",
      content: findings.map(({ id, mend, server, severity, what }) => ({ id, severity, server, what, mend }))
    },
    {
      title: "Last lines of the log",
      content: servers.flatMap(({ config, log }) => (log?.last ?? []).map((line) => `${config.name}  ${line}`))
    }
  ]
}

/** Everything that was masked by its place is masked wherever it is repeated, too. */
const maskedSections = Effect.fnUntraced(function* (
  { facts }: Gathered,
  sections: ReadonlyArray<Section>
): Effect.fn.Return<ReadonlyArray<Section>, never, Redactor> {
  const { redact, register } = yield* Redactor
  for (const { config } of facts.servers) for (const value of hiddenValues(config)) register(value)
  const unnamed = anonymous({ home: homedir(), user: userName(), host: hostname() })
  const texts = new Set<string>()
  mapTexts(sections, (text) => (texts.add(text), text))
  // What other parts of this command have learned is masked by their own redactors.
  const safe = new Map<string, string>()
  for (const text of texts) safe.set(text, unnamed(redact(yield* masked(text))))
  return sections.map(({ content, title }) => ({ title, content: mapTexts(content, (text) => safe.get(text)!) }))
})

const INSIDE =
  "In it: versions, the servers with masked values, their status, the findings, and the last lines that servers wrote."

const whyNot = (error: unknown): string =>
  codeOf(error) === "EEXIST"
    ? "a file of that name exists already"
    : isMissing(error)
      ? "its folder does not exist"
      : fileSystemSays(error)

const written = <A>(file: string, work: () => Promise<A>) =>
  Effect.tryPromise({ try: work, catch: (error) => `the report cannot be written to ${file}: ${whyNot(error)}` }).pipe(
    Effect.catch(refused)
  )

const refused = Effect.fnUntraced(function* (reason: string) {
  yield* complain(reason)
  return yield* new ExitWith({ code: EXIT_FAILED })
})

/** Before anything is started or contacted for it. */
export const canReport = (file: string) =>
  written(file, async () => {
    await access(dirname(resolve(file)), constants.W_OK)
    const isThere = await lstat(file).then(
      () => true,
      () => false
    )
    if (isThere) throw Object.assign(new Error(), { code: "EEXIST" })
  })

/** A name that ends in `.json` gives JSON. An existing file is not overwritten. The whole text is looked at again before it is written. */
export const writeReport = Effect.fnUntraced(function* (
  file: string,
  gathered: Gathered,
  findings: ReadonlyArray<Finding>
) {
  const { redact } = yield* Redactor
  const sections = yield* maskedSections(gathered, sectionsOf(gathered, findings))
  const text = file.endsWith(".json")
    ? `${JSON.stringify(Object.fromEntries(sections.map(({ content, title }) => [title, content])), null, 2)}\n`
    : renderReport(sections)
  if (redact(yield* masked(text)) !== text) {
    return yield* refused("the report is not written: it would hold a secret in a place where it cannot be masked")
  }
  yield* written(file, () => writeFile(file, text, { flag: "wx", mode: 0o600 }))
  yield* complain(`${file} is written. ${INSIDE}`)
  yield* complain(READ_FIRST)
}, Effect.provide(redactorLayer))
