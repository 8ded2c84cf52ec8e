/** Commands that are not there. */
import { shellWord } from "../../connection/HttpError.ts"
import { installing } from "../Programs.ts"
import type { Check } from "../Facts.ts"

export const programs: Check = ({ platform, servers }) =>
  servers.flatMap(({ config: { name: server }, program, status }) => {
    // A running gateway may have another PATH.
    if (program === undefined || program.found !== undefined || status?.state === "Ready") return []
    const isPath = /[\\/]/.test(program.name)
    return [
      {
        id: "command-missing",
        severity: "error",
        server,
        what: isPath
          ? `There is no program ${program.name} that can be run.`
          : `The command '${program.name}' is not on PATH.`,
        why: "The server cannot be started.",
        mend:
          installing(program.name, platform) ??
          (isPath
            ? `Correct "command", or make the file executable: chmod +x ${shellWord(program.name)}`
            : `Install it, or write its whole path as "command".`)
      }
    ]
  })
