/** Everything that `doctor` looks for. To add a check, write one file in `checks/` and list it here. */
import type { Check } from "./Facts.ts"
import { addresses } from "./checks/addresses.ts"
import { behavior } from "./checks/behavior.ts"
import { clock } from "./checks/clock.ts"
import { configuration } from "./checks/configuration.ts"
import { dataDirectory } from "./checks/dataDirectory.ts"
import { definitions } from "./checks/definitions.ts"
import { issuers } from "./checks/issuers.ts"
import { leftovers } from "./checks/leftovers.ts"
import { logins } from "./checks/logins.ts"
import { names } from "./checks/names.ts"
import { openclaw } from "./checks/openclaw.ts"
import { packages } from "./checks/packages.ts"
import { port } from "./checks/port.ts"
import { programs } from "./checks/programs.ts"
import { runtimes } from "./checks/runtimes.ts"
import { schemas } from "./checks/schemas.ts"
import { secrets } from "./checks/secrets.ts"
import { starts } from "./checks/starts.ts"

export const CHECKS: ReadonlyArray<Check> = [
  configuration,
  programs,
  runtimes,
  secrets,
  addresses,
  logins,
  starts,
  behavior,
  packages,
  names,
  definitions,
  schemas,
  clock,
  port,
  issuers,
  dataDirectory,
  leftovers,
  openclaw
]
