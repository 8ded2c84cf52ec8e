/** Figures and times as a person reads them. */

const of = (value: number, digits: number): string => value.toFixed(digits).replace(/\.0+$/, "")

/** `null` without a value. */
export const duration = (ms: number | null | undefined): string => {
  if (ms === null || ms === undefined) return "–"
  if (ms < 10) return `${of(ms, 1)} ms`
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${of(ms / 1_000, 1)} s`
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 60) return `${minutes} min ${Math.floor((ms % 60_000) / 1_000)} s`
  if (minutes < 1_440) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
  return `${Math.floor(minutes / 1_440)} d ${Math.floor((minutes % 1_440) / 60)} h`
}

export const micros = (us: number): string => (us < 1_000 ? `${Math.round(us)} µs` : duration(us / 1_000))

export const count = (value: number): string => {
  if (value < 10_000) return String(Math.round(value))
  if (value < 1_000_000) return `${of(value / 1_000, value < 100_000 ? 1 : 0)} k`
  return `${of(value / 1_000_000, 1)} M`
}

export const bytes = (value: number | undefined): string => {
  if (value === undefined) return "–"
  if (value < 1_024 * 1_024) return `${Math.round(value / 1_024)} KiB`
  if (value < 1_024 ** 3) return `${of(value / 1_024 ** 2, value < 100 * 1_024 ** 2 ? 1 : 0)} MiB`
  return `${of(value / 1_024 ** 3, 1)} GiB`
}

const two = (value: number): string => String(value).padStart(2, "0")

/** Of the clock of this machine. */
export const clock = (at: number | string): string => {
  const date = new Date(at)
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}

export const day = (at: number | string): string => {
  const date = new Date(at)
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

/** `1 call`, `2 calls`. */
export const some = (amount: number, one: string, many = `${one}s`): string =>
  `${count(amount)} ${amount === 1 ? one : many}`
