/** What is wrong with the configuration itself. */
import { formatIssue } from "../../config/ConfigIssue.ts"
import type { Check } from "../Facts.ts"

export const configuration: Check = ({ faults, file, secrets, servers, warnings }) => {
  const owners = new Map(
    servers.flatMap(({ config: { fault, name } }) => (fault === undefined ? [] : [[formatIssue(fault), name]]))
  )
  // The finding about the secret says more.
  const isSecrets = (text: string) => secrets.some(({ reference }) => text.includes(reference))
  return [
    ...(file === undefined && faults.length === 0
      ? [
          {
            id: "no-configuration",
            severity: "info" as const,
            server: null,
            what: "There is no configuration in the usual places.",
            why: "No server can be checked.",
            mend: "mcp-live init   (or name a file with --config)"
          }
        ]
      : []),
    ...faults.map((what) => ({
      id: "configuration-fault",
      severity: "error" as const,
      server: owners.get(what) ?? null,
      what,
      why: "This part of the configuration cannot be used.",
      mend: "Correct it in the file; mcp-live validate checks it without starting anything."
    })),
    ...warnings
      .filter((text) => !isSecrets(text))
      .map((what) => ({
        id: "configuration-warning",
        severity: "warning" as const,
        server: null,
        what,
        why: "The configuration may not mean what you think.",
        mend: "Correct it in the file; mcp-live validate checks it without starting anything."
      }))
  ]
}
