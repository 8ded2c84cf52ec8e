/** Our messages for the errors of AWS Secrets Manager, by the names that its SDK and the command `aws` share. */

export const NO_REGION =
  "no AWS region is set: set AWS_REGION, or region of secrets.aws in the config, or a region for the profile in use"

const DENIED = "access is denied: the credentials need secretsmanager:GetSecretValue on the secret, and its KMS key"
export const EXPIRED = "the AWS credentials have expired: get new ones, with 'aws sso login' where that is in use"
const UNKNOWN_CREDENTIALS = "AWS does not accept the credentials: they are wrong or were revoked"
const SIGNATURE = "AWS does not accept the signature: the secret key is wrong, or the clock of this machine"
const LIMITED = "AWS limits the rate of requests"
const TROUBLE = "AWS Secrets Manager is in trouble"
export const NO_CREDENTIALS =
  "no AWS credentials were found: set AWS_PROFILE (or profile of secrets.aws in the config), or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or log in with 'aws sso login'"

/** By the name of the error: of the service, of every service of AWS, and of the SDK. */
const REASONS: Readonly<Record<string, string>> = {
  InvalidRequestException: "the secret is marked for deletion, or is managed by another service of AWS",
  InvalidParameterException: "AWS does not take that name or version",
  ValidationException: "AWS does not take that name or version",
  DecryptionFailure: "AWS cannot decrypt the secret: its KMS key is disabled or deleted, or not for these credentials",
  InternalServiceError: TROUBLE,
  InternalFailure: TROUBLE,
  ServiceUnavailable: TROUBLE,
  AccessDeniedException: DENIED,
  AccessDenied: DENIED,
  NotAuthorized: DENIED,
  OptInRequired: "the AWS account is not signed up for the service in this region",
  ExpiredTokenException: EXPIRED,
  ExpiredToken: EXPIRED,
  TokenProviderError: EXPIRED,
  UnrecognizedClientException: UNKNOWN_CREDENTIALS,
  InvalidClientTokenId: UNKNOWN_CREDENTIALS,
  MissingAuthenticationTokenException: UNKNOWN_CREDENTIALS,
  MissingAuthenticationToken: UNKNOWN_CREDENTIALS,
  InvalidSignatureException: SIGNATURE,
  SignatureDoesNotMatch: SIGNATURE,
  IncompleteSignature: SIGNATURE,
  IncompleteSignatureException: SIGNATURE,
  RequestExpired: SIGNATURE,
  RequestTimeTooSkewed: SIGNATURE,
  ThrottlingException: LIMITED,
  Throttling: LIMITED,
  RequestLimitExceeded: LIMITED,
  TooManyRequestsException: LIMITED,
  CredentialsProviderError: NO_CREDENTIALS
}

/** The message for an error, by its name; `undefined` if it is not known here. */
export const inWords = (name: string, region: string): string | undefined => {
  if (name === "ResourceNotFoundException") return `there is no such secret, or not that version of it, in ${region}`
  return Object.hasOwn(REASONS, name) ? REASONS[name] : undefined
}
