/** Servers that do not start, or start slowly. */
import { DOCTOR_SLOW_MS } from "../../defaults/Doctor.ts"
import { faultOf } from "../../connection/ServerState.ts"
import { loginCommand, shellWord } from "../../connection/HttpError.ts"
import type { Check } from "../Facts.ts"
import type { Finding } from "../Finding.ts"

/** By the words of the error: what helps. */
const MENDS: ReadonlyArray<readonly [said: RegExp, mend: (server: string) => string]> = [
  [/needs a login/, loginCommand],
  [/HTTP 401|HTTP 403/, () => 'Set or renew the "Authorization" header, as a secret:// reference.'],
  [/HTTP 407/, () => "A proxy wants credentials; mcp-live does not use proxies for HTTP servers."],
  [/HTTP 404/, () => 'Check the path of "url": many servers are at /mcp or /sse.'],
  [/HTTP 405/, () => 'Check "url"; for a server of the older transport, write "transport": "sse".'],
  [/allowPrivate/, () => 'If that address is meant, write "allowPrivate": true on this server.'],
  [/docker daemon|docker\.sock/i, () => "Start Docker (Docker Desktop, or: sudo systemctl start docker)."],
  [/EACCES|permission denied/i, () => "Check who owns the files that its last words name."],
  [
    /Cannot find module '(?:\/|[A-Z]:\\)|can't open file/,
    () => 'There is no such file: write the path of the program in "args", from the root.'
  ],
  [
    /MODULE_NOT_FOUND|Cannot find module|ModuleNotFoundError/,
    () => "Install the packages of the server in its folder."
  ],
  [
    /EADDRINUSE|address already in use/i,
    () => "Another process has the port that the server wants: end it, or give the server another one."
  ],
  [
    /E404|npm error 404|not found in the (?:npm )?registry|No solution found/i,
    () => "Check the name and the version of the package."
  ],
  [
    /not ready within/,
    () =>
      'Raise "timeout" on this server if it is only slow; otherwise start its command by hand and read what it says.'
  ],
  [
    /api.?key|token|credential|unauthorized/i,
    () => 'It seems to miss a credential: put it in "env", as a secret:// reference.'
  ]
]

/** Where no words tell more. */
const otherwise = (server: string, said: string, isProcess: boolean): string => {
  if (!isProcess) return 'Check that "url" is the address of an MCP server, and ask whoever runs it.'
  return said.includes("its last words")
    ? "Mend what its last words say, or start its command by hand to read more."
    : `Start its command by hand, and read what it says; mcp-live logs ${shellWord(server)} shows what it wrote to a gateway.`
}

const mendOf = (server: string, said: string, isProcess: boolean): string =>
  MENDS.find(([pattern]) => pattern.test(said))?.[1](server) ?? otherwise(server, said, isProcess)

export const starts: Check = ({ running, servers }) =>
  servers.flatMap(({ config: { launch, name: server }, fetched, status }): ReadonlyArray<Finding> => {
    if (status === undefined) return []
    const { connectMs, lastError, state, waits } = status
    // Each person does it themselves, and nothing is wrong until then.
    if (waits !== undefined) return []
    if (state === "Failed" || state === "Backoff" || state === "Connecting") {
      const said = lastError === null ? "it was not ready in time" : faultOf(server, lastError)
      return [
        {
          id: "server-down",
          severity: "error",
          server,
          what: `It is not ready: ${said}`,
          why: "Its tools cannot be called.",
          mend: `${mendOf(server, said, launch.kind === "stdio")}${running ? ` Then: mcp-live reset ${shellWord(server)}` : ""}`
        }
      ]
    }
    if (connectMs === null || connectMs <= DOCTOR_SLOW_MS) return []
    return [
      {
        id: "server-slow",
        severity: "warning",
        server,
        what: `It took ${Math.round(connectMs / 1000)} s to be ready.`,
        why: "Agents wait for it, or go on without its tools.",
        mend:
          fetched === undefined
            ? "Look at what it does at its start; lazy: true starts it when it is needed."
            : `Install ${fetched.name}, and start its own program instead of ${fetched.runner}.`
      }
    ]
  })
