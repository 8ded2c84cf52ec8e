/** Servers that are downloaded when they start. */
import type { Check, PackageFacts } from "../Facts.ts"

const separator = (runner: string): string => (/^(?:uv|pipx)/.test(runner) ? "==" : "@")

/** The command that tells the newest version. */
const newest = ({ name, runner }: PackageFacts): string =>
  /^(?:uv|pipx)/.test(runner) ? `https://pypi.org/project/${name}` : `npm view ${name} version`

const pinning = (fetched: PackageFacts): string => {
  const { name, runner, version } = fetched
  return version === undefined
    ? `Write ${name}${separator(runner)}VERSION in "args"; for the newest one: ${newest(fetched)}`
    : `Write ${name}${separator(runner)}${version} in "args": the version that is on this machine.`
}

export const packages: Check = ({ servers }) =>
  servers.flatMap(({ config: { name: server, timeout }, fetched, program }) => {
    if (fetched === undefined) return []
    const { cached, name, pinned, runner } = fetched
    return [
      ...(cached === false && program?.found !== undefined
        ? [
            {
              id: "package-download",
              severity: "info" as const,
              server,
              what: `${runner} downloads ${name} at the next start: it is not on this machine.`,
              why: `The first start is slow, needs a network, and fails after ${timeout / 1000} s ("timeout").`,
              mend: "Start it once while you watch: mcp-live status --wait"
            }
          ]
        : []),
      ...(pinned
        ? []
        : [
            {
              id: "package-unpinned",
              severity: "info" as const,
              server,
              what: `${runner} runs ${name} without a fixed version.`,
              why: "Another version may run tomorrow, with other tools.",
              mend: pinning(fetched)
            }
          ])
    ]
  })
