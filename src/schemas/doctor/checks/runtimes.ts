/** Runtimes that are too old for the server. */
import { DOCTOR_OLDEST } from "../../defaults/Doctor.ts"
import { installing, isOlder } from "../Programs.ts"
import type { Check, RuntimeFacts } from "../Facts.ts"

const oldestFor = ({ name, needs }: RuntimeFacts): string | undefined =>
  needs ?? (Object.hasOwn(DOCTOR_OLDEST, name) ? DOCTOR_OLDEST[name] : undefined)

export const runtimes: Check = ({ platform, servers }) =>
  servers.flatMap(({ config: { name: server }, runtime, status }) => {
    const oldest = runtime === undefined ? undefined : oldestFor(runtime)
    if (runtime?.version === undefined || oldest === undefined || !isOlder(runtime.version, oldest)) return []
    return [
      {
        id: "runtime-old",
        severity: status?.state === "Ready" ? "warning" : "error",
        server,
        what: `${runtime.name} is version ${runtime.version}; ${runtime.needs === undefined ? "servers need" : "its package needs"} ${oldest} or newer.`,
        why: "The server fails at its start, or later at a function that is missing.",
        mend: installing(runtime.name, platform) ?? `Install a newer ${runtime.name}.`
      }
    ]
  })
