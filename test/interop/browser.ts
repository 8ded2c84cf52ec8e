/**
 * A person's browser, as other people's programs open it: started with an address, it follows every redirect with its cookies, as far as
 * the program that waits for it.
 */
const HOPS = 20

const cookies = new Map<string, string>()
let at = new URL(process.argv[2]!)
for (let hop = 0; hop < HOPS; hop++) {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
  const response = await fetch(at, { redirect: "manual", headers: { cookie } })
  for (const line of response.headers.getSetCookie()) {
    const [, name, value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    if (name !== undefined) cookies.set(name, value)
  }
  const location = response.headers.get("location")
  if (location === null) break
  at = new URL(location, at)
}
