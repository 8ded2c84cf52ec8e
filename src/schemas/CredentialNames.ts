/** Whether the name of a variable, a header or a parameter says that its value is a credential. */

const CREDENTIAL = /passw(?:or)?d|passphrase|secret|token|credential|cookie|auth(?!or(?!iz))|key(?!board|word)/i

export const soundsLikeCredential = (name: string): boolean => CREDENTIAL.test(name)
