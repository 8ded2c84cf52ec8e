/** Whether an address of a server may be a link: `https:`, or `http:` on this machine. Anything else is only text. */
export const isOpenable = (address: string): boolean => {
  const url = URL.parse(address)
  if (url === null) return false
  return (
    url.protocol === "https:" || (url.protocol === "http:" && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname))
  )
}
