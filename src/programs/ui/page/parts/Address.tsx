/** An address that a server gave: always as text, in full, and a link only to where a browser may go safely. */
const isSafe = (address: string): boolean => {
  try {
    return new URL(address).protocol === "https:"
  } catch {
    return false
  }
}

export const Address = ({ address }: { readonly address: string }) =>
  isSafe(address) ? (
    <a class="address" href={address} target="_blank" rel="noopener noreferrer">
      {address}
    </a>
  ) : (
    <code class="address">{address}</code>
  )
