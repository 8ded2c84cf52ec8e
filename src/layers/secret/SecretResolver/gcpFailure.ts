/** Our messages for the errors of Google's Secret Manager, by the names that its SDK and `gcloud` share. */
import type { GcpTarget } from "./gcpTarget.ts"

const NO_CREDENTIALS = "no Google credentials were found"
const LOGIN = "GOOGLE_APPLICATION_CREDENTIALS names a key file, or 'gcloud auth application-default login' makes some"

export const noCredentials = `${NO_CREDENTIALS}: ${LOGIN}`
export const noLogin = `${NO_CREDENTIALS}: gcloud is not logged in ('gcloud auth login'), or the login is over`
export const noProject =
  "no Google Cloud project is known: set GOOGLE_CLOUD_PROJECT, or project of secrets.gcp in the config, or write secret://gcp/projects/PROJECT/secrets/NAME"

/** The message for a status, by its name; `undefined` if it is not known here. */
export const inWords = (status: string, { project, version }: GcpTarget): string | undefined => {
  const place = project === undefined ? "the project" : `project ${project}`
  switch (status) {
    case "NOT_FOUND":
      return `there is no such secret in ${place}, or no version '${version}' of it`
    case "PERMISSION_DENIED":
      return `access is denied, or there is no such secret in ${place}: it takes the role Secret Manager Secret Accessor`
    case "SERVICE_DISABLED":
      return `the Secret Manager API is not enabled in ${place}`
    case "UNAUTHENTICATED":
      return `Google does not accept the credentials: they are wrong, expired or were revoked; ${LOGIN}`
    case "FAILED_PRECONDITION":
      return `version '${version}' of the secret is disabled or was destroyed`
    case "INVALID_ARGUMENT":
      return `Google does not take the request: the login may be over ('gcloud auth application-default login'), or ${place} is not one`
    case "RESOURCE_EXHAUSTED":
      return `the quota of requests to Google's Secret Manager is used up in ${place}`
    case "DEADLINE_EXCEEDED":
      return "Google's Secret Manager did not answer in time"
    case "UNAVAILABLE":
      return "Google's Secret Manager cannot be reached at the moment"
    case "INTERNAL":
    case "UNKNOWN":
    case "ABORTED":
      return "Google's Secret Manager is in trouble"
    default:
      return undefined
  }
}
