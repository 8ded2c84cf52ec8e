/** Parses and checks a reference to Google's Secret Manager, so that no part of it becomes another path or an option. */
import * as Result from "effect/Result"

export interface GcpTarget {
  /** `undefined` for the default project of the SDK or command. */
  readonly project: string | undefined
  readonly name: string
  readonly version: string
}

const NAME = /^[A-Za-z0-9_-]{1,255}$/
/** A number or an alias, such as `latest`. */
const VERSION = /^(?:[0-9]{1,19}|[A-Za-z][A-Za-z0-9_-]{0,62})$/
/** An id or a number. Old ids begin with a domain. */
const PROJECT = /^(?:[a-z0-9][a-z0-9.-]{0,62}:)?[a-z0-9][a-z0-9-]{0,62}$/
const RESOURCE = /^projects\/(?<project>[^/]+)\/secrets\/(?<name>[^/]+)$/

export const isProject = (text: string): boolean => PROJECT.test(text)

export const targetOf = (
  path: string,
  version = "latest",
  usualProject: string | undefined
): Result.Result<GcpTarget, string> => {
  const { name = path, project = usualProject } = RESOURCE.exec(path)?.groups ?? {}
  if (!NAME.test(name)) {
    return Result.fail(
      name.includes("/")
        ? "it is not of the form secret://gcp/NAME or secret://gcp/projects/PROJECT/secrets/NAME"
        : "that is not the name of a secret in Google's Secret Manager: they are of letters, digits, _ and -"
    )
  }
  if (!VERSION.test(version)) {
    return Result.fail("that is not a version in Google's Secret Manager: a number, or an alias")
  }
  if (project !== undefined && !isProject(project)) {
    return Result.fail("that is not the id of a Google Cloud project")
  }
  return Result.succeed({ project, name, version })
}
