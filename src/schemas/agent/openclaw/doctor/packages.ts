/** Finds programs that download and run a package of no fixed version. */
import { fetchedPackage } from "../../../connection/FetchedPackage.ts"
import { ofArgument } from "../NativeCredentials.ts"

/**
 * The package without a fixed version, by a name that is safe to show; `undefined` when the version is fixed or nothing is
 * downloaded.
 */
export const floatingPackage = (command: string, args: ReadonlyArray<string>): string | undefined => {
  const fetched = fetchedPackage(command, args)
  if (fetched === undefined || fetched.version !== undefined) return undefined
  const { isName, written } = fetched
  // The value of an unknown flag could be mistaken for the package, and be a credential.
  const isSecret = args.some((arg, i) => arg.includes(written) && ofArgument(args, i).length > 0)
  return isName && !isSecret ? written : "a package"
}
