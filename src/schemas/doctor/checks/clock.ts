/** Clocks that differ: that of this machine from those of the servers. */
import { DOCTOR_CLOCK_MS } from "../../defaults/Doctor.ts"
import type { Finding } from "../Finding.ts"
import type { Check } from "../Facts.ts"

const inWords = (ms: number): string => {
  const seconds = Math.round(Math.abs(ms) / 1000)
  const amount =
    seconds < 120
      ? `${seconds} s`
      : seconds < 7200
        ? `${Math.round(seconds / 60)} min`
        : `${Math.round(seconds / 3600)} h`
  return `${amount} ${ms > 0 ? "behind" : "ahead of"}`
}

/** If all clocks there agree that ours is off, it is ours. */
export const clock: Check = ({ servers }) => {
  const read = servers.flatMap(({ address, config: { name } }) =>
    address?.clockOffMs === undefined ? [] : [{ name, off: address.clockOffMs }]
  )
  const wrong = read.filter(({ off }) => Math.abs(off) > DOCTOR_CLOCK_MS)
  if (wrong.length === 0) return []
  const ours = wrong.length === read.length
  return (ours ? wrong.slice(0, 1) : wrong).map(({ name, off }): Finding => ({
    id: "clock-off",
    severity: "warning",
    server: ours ? null : name,
    what: ours
      ? `The clock of this machine is ${inWords(off)} that of ${read.map((one) => one.name).join(", ")}.`
      : `The clock of this server is ${inWords(-off)} that of this machine.`,
    why: "Logins and certificates are valid for a time: with a wrong clock they seem to be over, or not to have begun.",
    mend: ours
      ? "Let the system set its clock (Linux: timedatectl set-ntp true; macOS and Windows: the settings for date and time)."
      : "Tell whoever runs the server."
  }))
}
