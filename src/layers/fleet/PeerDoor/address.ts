/** Addresses of nodes: `10.0.0.5:7731`, `node-2.internal:7731`, `[fd00::5]:7731`. */

const ADDRESS = /^(?:\[([0-9A-Fa-f:.]+)\]|([^\s:[\]/]+)):([0-9]{1,5})$/

export const addressParts = (address: string): { readonly host: string; readonly port: number } | undefined => {
  const [, v6, name, digits] = ADDRESS.exec(address) ?? []
  const host = v6 ?? name
  const port = Number(digits)
  return host === undefined || port > 65_535 ? undefined : { host, port }
}
