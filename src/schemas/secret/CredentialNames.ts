/** Whether the name of a variable, header or parameter suggests that its value is a credential. */

const CREDENTIAL =
  /passw(?:or)?d|passphrase|secret|token|credential|cookie|auth(?!or(?!iz))|key(?!board|word)|webhook|conn(?:ection)?[_-]?str/i
/** As the last of several words, or the only one. `PWD` alone is a directory. */
const ABBREVIATED = /(?:^|[_-])(?:pass|pat|sk|dsn)$|(?<=[a-z\d][_-]?)(?<!^old)pwd$/i

export const soundsLikeCredential = (name: string): boolean => CREDENTIAL.test(name) || ABBREVIATED.test(name)
