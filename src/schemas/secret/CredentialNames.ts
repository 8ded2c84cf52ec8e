/** Whether the name of a variable, a header or a parameter says that its value is a credential. */

const CREDENTIAL =
  /passw(?:or)?d|passphrase|secret|token|credential|cookie|auth(?!or(?!iz))|key(?!board|word)|webhook|conn(?:ection)?[_-]?str/i
/** Of several words the last one, or all there is. `PWD` alone is a directory. */
const ABBREVIATED = /(?:^|[_-])(?:pass|pat|sk|dsn)$|(?<=[a-z\d][_-]?)(?<!^old)pwd$/i

export const soundsLikeCredential = (name: string): boolean => CREDENTIAL.test(name) || ABBREVIATED.test(name)
