/** For requests over https to a host of the test: every name is this machine, and its certificate is of nobody whom anybody knows. */
import type { LookupFunction } from "node:net"

const lookup: LookupFunction = (_, options, done) =>
  options.all === true
    ? done(null, [{ address: "127.0.0.1", family: 4 }])
    : (done as (error: null, address: string, family: number) => void)(null, "127.0.0.1", 4)

export const TO_LOOPBACK = { lookup, rejectUnauthorized: false }
